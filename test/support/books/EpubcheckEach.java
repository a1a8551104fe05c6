import com.adobe.epubcheck.tool.EpubChecker;

/** Epubcheck for several files in one process: its schemas are most of the work, and compiled once. */
public class EpubcheckEach {
  public static void main(String[] files) {
    for (String file : files) {
      System.out.println("FILE " + file);
      new EpubChecker().run(new String[] {file});
      System.err.flush();
      System.out.flush();
    }
  }
}
