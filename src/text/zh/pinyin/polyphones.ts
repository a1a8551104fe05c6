/**
 * Single characters that are read in several ways: which one is meant is told by the words beside
 * them.
 */

/** A word in its clause, with its part of speech by jieba's letters. */
export interface TaggedWord {
  readonly word: string;
  readonly tag: string;
}

interface Around {
  readonly before: TaggedWord;
  readonly after: TaggedWord;
  readonly afterNext: TaggedWord;
}

type Choice = (around: Around) => string | undefined;

const NONE: TaggedWord = { word: '', tag: '' };
const PRONOUN = /^(?:我|你|您|他|她|它|咱|谁|大家|人家|别人|自己)/;
/** 高高兴兴 */
const TWICE = /^(.)\1(.)\2$/;
const NUMBER = /^[零一二两三四五六七八九十百千万亿几半数]+$/;

const isNumber = ({ word, tag }: TaggedWord): boolean => NUMBER.test(word) || tag === 'm';
const isVerb = ({ tag }: TaggedWord): boolean => /^v/.test(tag);

const CHOICES: Readonly<Record<string, Choice>> = {
  地: ({ before, after }) =>
    before.word.length > 1 && after.word !== '' && (!/^n[st]/.test(before.tag) || TWICE.test(before.word))
      ? 'de0'
      : 'di4',
  得: ({ before, after }) => {
    if (/^(?:到|不到|出|知|了|以|分|票|奖|病)/.test(after.word)) return 'de2';
    if (/^[rd]/.test(before.tag) || /^(?:我们|你们|他们|必|总|还|就|都|也|又|可|非)$/.test(before.word)) return 'dei3';
    if (isVerb(before) || /^[aiz]/.test(before.tag) || before.word.length === 1) return 'de0';
    return isVerb(after) ? 'dei3' : 'de0';
  },
  长: ({ before, after }) => {
    if (
      /^(?:得|高|大|出|满|成|着|了|胖|在|期间|好|不大|起来)/.test(after.word) &&
      !/[很太更最不多真]$/.test(before.word)
    )
      return 'zhang3';
    return 'chang2';
  },
  还: ({ before, after }) => {
    if (/^(?:给|钱|书|债|清|款|贷|本|掉|回)/.test(after.word)) return 'huan2';
    return PRONOUN.test(after.word) && /[没要该想快先来去必能会]$/.test(before.word) ? 'huan2' : 'hai2';
  },
  教: () => 'jiao1',
  种: ({ before, after }) => {
    if (
      /^(?:了|着|过|树|花|菜|地|田|下|植|在|上|好|起|粮|水稻|玉米|棉)/.test(after.word) &&
      !isNumber(before) &&
      !/[这那每各某多种]$/.test(before.word)
    )
      return 'zhong4';
    return 'zhong3';
  },
  数: ({ before, after }) =>
    /^(?:一|了|着|到|数|清|不|起|过|钱)/.test(after.word) || /[一来去]$/.test(before.word) ? 'shu3' : 'shu4',
  为: ({ before, after }) => {
    if (isNumber(after) || /^(?:人|主|止|限|期|例|准|伴|难|生|首|上|了不|最|此$)/.test(after.word))
      return after.word === '此' ? 'wei4' : 'wei2';
    if (
      /(?:称|分|定|选|列|改|变|视|译|升|评|化|设|作|当|成|合|以|誉|被|均|命名|译|约|仅|应|高达|解释|理解|翻译)$/.test(
        before.word,
      )
    )
      return 'wei2';
    return 'wei4';
  },
  重: ({ after }) => (/^(?:做|写|看|建|回|游|逢|申|组|启|来|新)/.test(after.word) ? 'chong2' : 'zhong4'),
  行: ({ before }) => (isNumber(before) || /^[几每这那]$/.test(before.word) ? 'hang2' : 'xing2'),
  了: ({ before }) => (/不$/.test(before.word) ? 'liao3' : 'le0'),
  着: ({ before }) => (/[不得]$/.test(before.word) ? 'zhao2' : 'zhe0'),
  差: ({ before, after }) =>
    /[之温时色误落逆]$/.test(before.word) ? 'cha1' : after.word === '' && /出/.test(before.word) ? 'chai1' : 'cha4',
  干: ({ after }) =>
    /^(?:什么|吗|嘛|活|事|了|得|起|过|完|好|出|下去|一|这|那|掉|不)/.test(after.word) ? 'gan4' : 'gan1',
  只: ({ before }) => (isNumber(before) || /^[这那几每两]$/.test(before.word) ? 'zhi1' : 'zhi3'),
  空: ({ before, after }) => (/^[有没抽得]$/.test(before.word) && after.word === '' ? 'kong4' : 'kong1'),
  当: ({ after }) => (/^(?:作|成|真|天|晚|月|年)/.test(after.word) ? 'dang4' : 'dang1'),
  背: ({ after }) => (/^(?:着|起|上|包|书包|了)/.test(after.word) ? 'bei1' : 'bei4'),
  倒: ({ after }) => (/^(?:了|下|在|塌|闭|霉|车)/.test(after.word) ? 'dao3' : 'dao4'),
  转: ({ after }) => (/^(?:圈|动|了一圈|来转去)/.test(after.word) ? 'zhuan4' : 'zhuan3'),
  少: ({ before }) => (/^[老青年恶]$/.test(before.word) ? 'shao4' : 'shao3'),
  好: ({ after }) => (/^(?:学|客|奇|胜|战|斗|色|强)$/.test(after.word) ? 'hao4' : 'hao3'),
  看: ({ after }) => (/^(?:门|家|守|孩子)$/.test(after.word) ? 'kan1' : 'kan4'),
  弹: ({ after }) => (/^(?:琴|钢琴|吉他|得|奏|唱|起|了|着)/.test(after.word) ? 'tan2' : undefined),
  调: ({ after }) => (/^(?:查|动|走|来|到|任|换|职)/.test(after.word) ? 'diao4' : 'tiao2'),
  散: ({ after }) => (/^(?:步|开|发|布|会|场|去|了)/.test(after.word) ? 'san4' : undefined),
  朝: ({ after }) => (/^(?:阳|霞|夕|气)/.test(after.word) ? 'zhao1' : 'chao2'),
  量: ({ after }) => (/^(?:一|了|体温|血压|身高)/.test(after.word) ? 'liang2' : 'liang4'),
  切: ({ after }) => (/^(?:换|开|成|菜|片|断|了|肉|割|入|好)/.test(after.word) ? 'qie1' : undefined),
  应: ({ after }) => (/^(?:邀|对|聘|付|用|急|声|战|约)/.test(after.word) ? 'ying4' : 'ying1'),
  系: ({ after }) => (/^(?:好|上|着|鞋带|安全带|领带)/.test(after.word) ? 'ji4' : 'xi4'),
  挣: () => 'zheng4',
  说: ({ after }) => (after.word === '乎' ? 'yue4' : undefined),
  降: ({ after }) => (/^(?:伏|服)/.test(after.word) ? 'xiang2' : 'jiang4'),
  曲: () => 'qu3',
  血: () => 'xue4',
  谁: () => 'shei2',
  那: () => 'na4',
  哪: () => 'na3',
  嗯: () => 'en0',
  哦: () => 'o4',
  喔: () => 'wo1',
  啊: () => 'a0',
  吧: () => 'ba0',
  呢: () => 'ne0',
  吗: () => 'ma0',
  嘛: () => 'ma0',
  啦: () => 'la0',
  呀: () => 'ya0',
  哇: () => 'wa0',
  们: () => 'men0',
  的: () => 'de0',
  过: ({ before, after }) =>
    isVerb(before) &&
    !/^(?:年|节|河|马路|期)/.test(after.word) &&
    before.word.length <= 2 &&
    after.word !== '来' &&
    after.word !== '去'
      ? 'guo0'
      : 'guo4',
  里: ({ before }) => (before.word === '' || /^[几这那]$/.test(before.word) || isNumber(before) ? 'li3' : 'li0'),
  上: ({ before }) => (/^n/.test(before.tag) && before.word.length > 0 ? 'shang0' : 'shang4'),
};

/**
 * How a word of one character is read beside others; undefined where the dictionary's reading is
 * right.
 */
export function polyphone(words: readonly TaggedWord[], at: number): string | undefined {
  const choice = Object.hasOwn(CHOICES, words[at]!.word) ? CHOICES[words[at]!.word] : undefined;
  return choice?.({ before: words[at - 1] ?? NONE, after: words[at + 1] ?? NONE, afterNext: words[at + 2] ?? NONE });
}

/** Words whose last syllable has lost its tone. */
const NEUTRAL: ReadonlySet<string> = new Set(
  `朋友 东西 时候 意思 事情 眼睛 窗户 打算 地方 早上 晚上 知道 告诉 先生 学生 喜欢 明白 漂亮 清楚 舒服 便宜 衣服 头发 月亮 名字 关系 师傅
   大夫 护士 客气 休息 消息 认识 麻烦 热闹 聪明 厉害 干净 凉快 暖和 豆腐 萝卜 葡萄 玻璃 骆驼 蘑菇 钥匙 石榴 耳朵 嘴巴 家伙 亲戚 丈夫 故事
   生意 动静 力气 脾气 运气 福气 味道 商量 打听 打扮 收拾 招呼 答应 妈妈 爸爸 哥哥 姐姐 弟弟 妹妹 爷爷 奶奶 叔叔 舅舅 姑姑 太太 宝宝 娃娃 星星
   什么 怎么 这么 那么 多么 我们 你们 他们 她们 它们 咱们 人们 孩子 儿子 房子 桌子 椅子 杯子 鞋子 裤子 裙子 帽子 日子 样子 院子 妻子 鼻子 肚子
   里头 外头 前头 后头 上头 木头 石头 骨头 馒头 枕头 舌头 拳头 念头 丫头 前面 后面 外面 里面 上面 下面 这里 那里 哪里 屋里 家里 心里 夜里
   手里 嘴里 眼里 这个 那个 哪个 些个 觉得 记得 懂得 值得 显得 晓得 省得 免得 有的 似的 别的 走了 好了 为了 除了 算了 罢了 得了 进来 出来 回来 过来
   起来 上来 下来 进去 出去 回去 过去 上去 下去 看看 听听 说说 试试 想想 走走 尝尝 谢谢 去过 来过 看过 听过 说过 吃过 做过 想过 见过 走过 山里 水里 村里 城里 店里 房里 院里 班里 校里 县里 市里 梦里 书里 话里 点心 粮食 牲口 庄稼 云彩 风筝 灯笼 本事 规矩 膏药 行李 铺盖
   扫帚 算盘 胳膊 指甲 屁股 脑袋 疙瘩 苍蝇 蛤蟆 狐狸 刺猬 棉花 芝麻 高粱 玫瑰 牡丹 豆子 橘子 栗子 李子 包子 饺子 筷子 勺子 盘子 瓶子 盒子 箱子 袋子
   本子 句子 例子 影子 院子 村子 班子 车子 轮子 票子 步子 嗓子 脖子 胡子 辫子 镜子 梳子 刷子 刀子 剪子 钳子 锤子 绳子 带子 扣子 领子 袖子 帐子 帘子
   毯子 垫子 席子 篮子 筐子 梯子 柱子 钉子 架子 柜子 炉子 猴子 兔子 狮子 豹子 鸽子 燕子 蚊子 虫子 结实 老实 踏实 扎实 糊涂 马虎 大方 爽快 痛快
   勤快 活泼 机灵 伶俐 俊俏 苗条 窝囊 别扭 委屈 将就 凑合 琢磨 折腾 耽误 耽搁 吆喝 嘱咐 吩咐 糟蹋 张罗 照应 佩服 相声 笑话 闺女 媳妇 寡妇 姑娘
   伙计 掌柜 木匠 裁缝 和尚 道士 财主 街坊 老婆 老爷 少爷 护士 大爷 大妈 队伍 部分 成分 情分 身份 岁数 工夫 功夫 世故 学问 见识 打量`.split(
    /\s+/,
  ),
);

/** Whether a word ends in a syllable without a tone: 意思, and 有意思 with it. */
export const endsNeutral = (word: string): boolean =>
  NEUTRAL.has(word) || (word.length === 3 && NEUTRAL.has(word.slice(1)));

/** Words that the dictionary of pinyin reads amiss. */
export const READINGS: Readonly<Record<string, string>> = {
  为人: 'wei2 ren2',
  不亦说乎: 'bu4 yi4 yue4 hu1',
  说乎: 'yue4 hu1',
  一分之差: 'yi1 fen1 zhi1 cha1',
  为人正直: 'wei2 ren2 zheng4 zhi2',
  切换: 'qie1 huan4',
  长得: 'zhang3 de0',
  长大: 'zhang3 da4',
  长高: 'zhang3 gao1',
  还给: 'huan2 gei3',
  要不要: 'yao4 bu4 yao4',
  不得了: 'bu4 de2 liao3',
  了不起: 'liao3 bu0 qi3',
  对不起: 'dui4 bu0 qi3',
  受不了: 'shou4 bu0 liao3',
  差点儿: 'cha4 dian3 er0',
  差点: 'cha4 dian3',
  数一数: 'shu3 yi1 shu3',
  说得: 'shuo1 de0',
  弹得: 'tan2 de0',
  唱得: 'chang4 de0',
  种树: 'zhong4 shu4',
  种花: 'zhong4 hua1',
  种地: 'zhong4 di4',
  种菜: 'zhong4 cai4',
  教书: 'jiao1 shu1',
  听说: 'ting1 shuo1',
  重申: 'chong2 shen1',
  睡着: 'shui4 zhao2',
  着急: 'zhao2 ji2',
  着火: 'zhao2 huo3',
  着凉: 'zhao2 liang2',
  几乎: 'ji1 hu1',
  银行: 'yin2 hang2',
  有空: 'you3 kong4',
  没空: 'mei2 kong4',
  抽空: 'chou1 kong4',
  有的是: 'you3 de0 shi4',
  的确: 'di2 que4',
  目的: 'mu4 di4',
  目的地: 'mu4 di4 di4',
  的士: 'di1 shi4',
  中奖: 'zhong4 jiang3',
  看中: 'kan4 zhong4',
  一会儿: 'yi2 hui4 er0',
  这会儿: 'zhe4 hui4 er0',
  那会儿: 'na4 hui4 er0',
  处处: 'chu4 chu4',
  角色: 'jue2 se4',
  主角: 'zhu3 jue2',
  配角: 'pei4 jue2',
  尽管: 'jin3 guan3',
  尽量: 'jin3 liang4',
  尽快: 'jin3 kuai4',
  朝阳: 'zhao1 yang2',
  朝鲜: 'chao2 xian3',
  露面: 'lou4 mian4',
  露馅: 'lou4 xian4',
  下载: 'xia4 zai4',
  记载: 'ji4 zai3',
  供应: 'gong1 ying4',
  提供: 'ti2 gong1',
  一模一样: 'yi4 mu2 yi2 yang4',
  模样: 'mu2 yang4',
  勉强: 'mian3 qiang3',
  倔强: 'jue2 jiang4',
  参差: 'cen1 ci1',
  答应: 'da1 ying0',
  咖啡: 'ka1 fei1',
  咖喱: 'ga1 li2',
};
