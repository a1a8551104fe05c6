/**
 * As much of the ONNX file format as graph surgery needs. Messages that are only carried along
 * (attributes, types, operator sets) are declared as bytes, as which protobuf encodes an embedded
 * message, so that they come out exactly as they went in.
 */
import protobuf from 'protobufjs';

/** Those values of TensorProto.DataType that occur here. */
export const DATA_TYPE = { float: 1, uint8: 2, int8: 3, int32: 6, int64: 7, float16: 10 } as const;

export interface Tensor {
  dims: number[];
  dataType: number;
  /** The values are in one of these, or in `rawData`. */
  floatData: number[];
  int32Data: number[];
  int64Data: Uint8Array;
  rawData: Uint8Array;
  name: string;
}

export interface Node {
  input: string[];
  output: string[];
  name: string;
  opType: string;
  domain: string;
  attribute: Uint8Array[];
}

export interface ValueInfo {
  name: string;
  type: Uint8Array;
}

export interface Graph {
  node: Node[];
  name: string;
  initializer: Tensor[];
  input: ValueInfo[];
  output: ValueInfo[];
}

export interface Model {
  irVersion: number;
  opsetImport: Uint8Array[];
  producerName: string;
  graph: Graph;
}

/** A number is a fixed size, a name any size. */
type Shape = readonly (number | string)[];

export interface OnnxCodec {
  /** The tensors' raw data stays a view of `bytes`. */
  decode(bytes: Uint8Array): Model;
  encode(model: Model): Uint8Array;
  tensor(tensor: Partial<Tensor>): Tensor;
  valueInfo(name: string, dataType: number, shape: Shape): ValueInfo;
  /** The attribute `name` of a node, where it is a list of whole numbers. */
  intsOf(node: Node, name: string): readonly number[] | undefined;
  /** The attribute `name` of a node, where it is a number with a fraction. */
  floatOf(node: Node, name: string): number | undefined;
  /** A node's attributes, with those named set to lists of whole numbers. */
  withInts(node: Node, lists: Readonly<Record<string, readonly number[]>>): Uint8Array[];
  /** A new node; a whole number becomes an INT, `{ float }` a FLOAT, a list INTS. */
  node(
    opType: string,
    input: readonly string[],
    output: readonly string[],
    attributes?: Readonly<Record<string, number | readonly number[] | { readonly float: number }>>,
  ): Node;
}

interface Attribute {
  readonly name: string;
  readonly type: number;
  readonly f: number;
  readonly ints: readonly number[];
}

/** Those values of AttributeProto.AttributeType that occur here. */
const [FLOAT, INT, INTS] = [1, 2, 7];

const field = (id: number, type: string) => ({ id, type });
const repeated = (id: number, type: string) => ({ id, type, rule: 'repeated' });
const packed = (id: number, type: string) => ({ id, type, rule: 'repeated', options: { packed: true } });

const SCHEMA = {
  nested: {
    Tensor: {
      fields: {
        // Sizes fit 32 bits; declaring them so keeps them plain numbers.
        dims: repeated(1, 'uint32'),
        dataType: field(2, 'int32'),
        floatData: packed(4, 'float'),
        int32Data: packed(5, 'int32'),
        int64Data: field(7, 'bytes'),
        name: field(8, 'string'),
        rawData: field(9, 'bytes'),
      },
    },
    Node: {
      fields: {
        input: repeated(1, 'string'),
        output: repeated(2, 'string'),
        name: field(3, 'string'),
        opType: field(4, 'string'),
        attribute: repeated(5, 'bytes'),
        domain: field(7, 'string'),
      },
    },
    ValueInfo: { fields: { name: field(1, 'string'), type: field(2, 'bytes') } },
    Attribute: {
      fields: {
        name: field(1, 'string'),
        f: field(2, 'float'),
        i: field(3, 'int32'),
        ints: repeated(8, 'uint32'),
        type: field(20, 'int32'),
      },
    },
    Dim: { fields: { dimValue: field(1, 'uint32'), dimParam: field(2, 'string') } },
    TensorShape: { fields: { dim: repeated(1, 'Dim') } },
    TensorType: { fields: { elemType: field(1, 'int32'), shape: field(2, 'TensorShape') } },
    ValueType: { fields: { tensorType: field(1, 'TensorType') } },
    Graph: {
      fields: {
        node: repeated(1, 'Node'),
        name: field(2, 'string'),
        initializer: repeated(5, 'Tensor'),
        input: repeated(11, 'ValueInfo'),
        output: repeated(12, 'ValueInfo'),
      },
    },
    Model: {
      fields: {
        irVersion: field(1, 'uint32'),
        producerName: field(2, 'string'),
        graph: field(7, 'Graph'),
        opsetImport: repeated(8, 'bytes'),
      },
    },
  },
};

export function createCodec(): OnnxCodec {
  const root = protobuf.Root.fromJSON(SCHEMA);
  const type = (name: string) => root.lookupType(name);
  const [modelType, tensorType, valueType, valueInfoType] = [
    type('Model'),
    type('Tensor'),
    type('ValueType'),
    type('ValueInfo'),
  ];
  const attributeType = type('Attribute');
  const attributeOf = (bytes: Uint8Array) => attributeType.decode(bytes) as unknown as Attribute;
  return {
    decode: (bytes) => modelType.decode(bytes) as unknown as Model,
    encode: (model) => modelType.encode(model as object).finish(),
    tensor: (tensor) => tensorType.create(tensor) as unknown as Tensor,
    valueInfo(name, dataType, shape) {
      const dim = shape.map((size) => (typeof size === 'number' ? { dimValue: size } : { dimParam: size }));
      const bytes = valueType.encode({ tensorType: { elemType: dataType, shape: { dim } } }).finish();
      return valueInfoType.create({ name, type: bytes }) as unknown as ValueInfo;
    },
    intsOf: (node, name) =>
      node.attribute.map(attributeOf).find((attribute) => attribute.name === name && attribute.type === INTS)?.ints,
    floatOf: (node, name) =>
      node.attribute.map(attributeOf).find((attribute) => attribute.name === name && attribute.type === FLOAT)?.f,
    withInts: (node, lists) => [
      ...node.attribute.filter((bytes) => !Object.hasOwn(lists, attributeOf(bytes).name)),
      ...Object.entries(lists).map(([name, ints]) => attributeType.encode({ name, ints, type: INTS }).finish()),
    ],
    node: (opType, input, output, attributes = {}) => ({
      opType,
      domain: '',
      name: `${opType} ${output[0]}`,
      input: [...input],
      output: [...output],
      attribute: Object.entries(attributes).map(([name, value]) => {
        const set =
          typeof value === 'number'
            ? { i: value, type: INT }
            : 'float' in value
              ? { f: value.float, type: FLOAT }
              : { ints: value, type: INTS };
        return attributeType.encode({ name, ...set }).finish();
      }),
    }),
  };
}
