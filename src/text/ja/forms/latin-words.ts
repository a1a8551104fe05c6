/** Latin words that Japanese text holds every day, as they are said in Japanese. */

const WORDS = `
hello ハロー|hi ハイ|ok オーケー|yes イエス|no ノー|love ラブ|good グッド|morning モーニング|night ナイト|happy ハッピー|birthday バースデー
thank サンク|thanks サンクス|you ユー|sorry ソーリー|please プリーズ|welcome ウェルカム|new ニュー|old オールド|big ビッグ|best ベスト|top トップ
world ワールド|japan ジャパン|tokyo トーキョー|osaka オーサカ|kyoto キョート|nihon ニホン|time タイム|day デイ|life ライフ|home ホーム|house ハウス
web ウェブ|site サイト|mail メール|e-mail イーメール|email イーメール|internet インターネット|online オンライン|news ニュース|blog ブログ|app アプリ
wi-fi ワイファイ|wifi ワイファイ|bluetooth ブルートゥース|google グーグル|apple アップル|amazon アマゾン|microsoft マイクロソフト|facebook フェイスブック
twitter ツイッター|youtube ユーチューブ|instagram インスタグラム|tiktok ティックトック|netflix ネットフリックス|line ライン|zoom ズーム|slack スラック
windows ウィンドウズ|mac マック|macos マックオーエス|linux リナックス|android アンドロイド|ios アイオーエス|iphone アイフォーン|ipad アイパッド|ipod アイポッド
airpods エアポッズ|chrome クローム|firefox ファイアフォックス|safari サファリ|office オフィス|word ワード|excel エクセル|powerpoint パワーポイント|teams チームズ
chatgpt チャットジーピーティー|openai オープンエーアイ|python パイソン|java ジャバ|javascript ジャバスクリプト|typescript タイプスクリプト|github ギットハブ|git ギット
docker ドッカー|node ノード|react リアクト|server サーバー|data データ|file ファイル|code コード|test テスト|type タイプ|level レベル|version バージョン
sony ソニー|toyota トヨタ|honda ホンダ|nintendo ニンテンドー|switch スイッチ|playstation プレイステーション|panasonic パナソニック|uniqlo ユニクロ|rakuten ラクテン
nasa ナサ|nato ナトー|unesco ユネスコ|unicef ユニセフ|apec エイペック|asean アセアン|opec オペック|jal ジャル|jaxa ジャクサ|covid コビッド|covid-19 コビッドナインティーン
no. ナンバー|mr. ミスター|mr ミスター|ms. ミズ|mrs. ミセス|dr. ドクター|vs バーサス|vs. バーサス|etc. エトセトラ|etc エトセトラ|r&d アールアンドディー
q&a キューアンドエー|m&a エムアンドエー|at&t エーティーアンドティー|h&m エイチアンドエム|pm ピーエム|am エーエム|jr ジェイアール|tv テレビ|cm シーエム|id アイディー
pc ピーシー|dj ディージェー|vip ブイアイピー|pop ポップ|rock ロック|jazz ジャズ|live ライブ|music ミュージック|song ソング|dance ダンス|game ゲーム|play プレイ
team チーム|club クラブ|cafe カフェ|café カフェ|coffee コーヒー|bar バー|hotel ホテル|shop ショップ|store ストア|sale セール|free フリー|open オープン|close クローズ
start スタート|stop ストップ|go ゴー|in イン|out アウト|on オン|off オフ|up アップ|down ダウン|the ザ|a ア|an アン|and アンド|of オブ|for フォー|to トゥー|with ウィズ
my マイ|your ユア|one ワン|two ツー|three スリー|four フォー|five ファイブ|first ファースト|next ネクスト|last ラスト|red レッド|blue ブルー|green グリーン|black ブラック
white ホワイト|gold ゴールド|silver シルバー|star スター|sky スカイ|sun サン|moon ムーン|sea シー|city シティ|park パーク|station ステーション|bank バンク|card カード
example イグザンプル|info インフォ|com コム|net ネット|org オルグ|jp ジェーピー|co シーオー|io アイオー|dev デブ|www ダブリューダブリューダブリュー|http エイチティーティーピー
https エイチティーティーピーエス|html エイチティーエムエル|support サポート|contact コンタクト|admin アドミン|user ユーザー|password パスワード|login ログイン|gmail ジーメール
smith スミス|john ジョン|mary メアリー|tom トム|anna アンナ|david デイビッド|michael マイケル|james ジェームズ|paul ポール|maria マリア|america アメリカ|london ロンドン
paris パリ|newyork ニューヨーク|york ヨーク|england イングランド|china チャイナ|korea コリア|english イングリッシュ|japanese ジャパニーズ|anime アニメ|manga マンガ
sushi スシ|ramen ラーメン|sake サケ|karaoke カラオケ|kawaii カワイイ|otaku オタク|samurai サムライ|ninja ニンジャ|emoji エモジ|design デザイン|style スタイル
project プロジェクト|system システム|service サービス|support サポート|guide ガイド|book ブック|magazine マガジン|photo フォト|video ビデオ|movie ムービー|studio スタジオ
ai エーアイ|dx ディーエックス|sdgs エスディージーズ|lgbt エルジービーティー|lgbtq エルジービーティーキュー|pdf ピーディーエフ|qr キューアール|nft エヌエフティー`;

export const LATIN_WORDS: ReadonlyMap<string, string> = new Map(
  WORDS.trim()
    .split(/[\n|]/)
    .map((pair) => pair.split(' ') as [string, string]),
);
