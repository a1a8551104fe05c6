/** What a screen reader says most: letters, digits, and the names of what is on a screen. */

export interface KeptText {
  /** As a message has it. */
  readonly text: string;
  /** A single character, which is spelled. */
  readonly isChar: boolean;
}

const LETTERS: Readonly<Record<string, string>> = {
  en: 'abcdefghijklmnopqrstuvwxyz',
  es: 'abcdefghijklmnñopqrstuvwxyz',
  fr: 'abcdefghijklmnopqrstuvwxyz',
  it: 'abcdefghijklmnopqrstuvwxyz',
  pt: 'abcdefghijklmnopqrstuvwxyz',
};
const DIGITS = '0123456789';

/** Roles, states, keys and remarks as Orca and its like say them. */
const ENGLISH =
  'alert,alt,application,article,backspace,banner,blank,button,calendar,cell,check box,checked,clickable,collapsed,' +
  'column,combo box,control,date,delete,desktop,dialog,disabled,document,down,edit,editable,empty,end,enter,entry,' +
  'escape,expanded,file,folder,footer,form,frame,graphic,grid,group,has popup,header,heading,heading level 1,' +
  'heading level 2,heading level 3,home,icon,image,insert,invalid,item,label,landmark,left,level,line,link,list,' +
  'list box,list item,loading,main,menu,menu bar,menu item,navigation,new line,no,not checked,not pressed,' +
  'not selected,off,ok,on,page,page down,page up,panel,paragraph,password,pressed,progress bar,push button,' +
  'radio button,read only,region,required,right,row,screen,scroll bar,search,section,selected,separator,shift,' +
  'slider,space,spin button,status bar,super,tab,tab list,table,text,toggle button,tool bar,tree,tree item,' +
  'unavailable,up,visited link,window,yes';

const WORDS: Readonly<Record<string, readonly string[]>> = { en: ENGLISH.split(',') };

/** All that is kept ready for a voice of this language (`en`). */
export const keptTexts = (language: string): readonly KeptText[] => [
  ...[...(LETTERS[language] ?? ''), ...DIGITS].map((text) => ({ text, isChar: true })),
  ...(WORDS[language] ?? []).map((text) => ({ text, isChar: false })),
];

/** Under this name it is kept: case and white space around it make no sound. */
export const keptName = ({ text, isChar }: KeptText): string =>
  `${isChar ? 'char' : 'text'} ${text.trim().toLowerCase()}`;
