"""Numbers and layouts of SPIR-V; written by tools/generate_spirv_tables.py, do not edit.

Layouts are one letter per operand: T result type, R result, I id, L literal word, S string, N number of the result
type, C case (literal of the selector's width and id), P pair of ids; lower case: a value of an enumeration. ``?``
and ``*`` follow what is optional or repeated. `ENUMERANTS` gives for each enumeration and value the layout of its
parameters and the capabilities of which one is needed.
"""

# fmt: off
from __future__ import annotations

MAGIC = 0x07230203
GRAMMAR = "1.6 revision 1"

class Op:
    """Opcodes."""

    Nop = 0
    Undef = 1
    SourceContinued = 2
    Source = 3
    SourceExtension = 4
    Name = 5
    MemberName = 6
    String = 7
    Line = 8
    Extension = 10
    ExtInstImport = 11
    ExtInst = 12
    MemoryModel = 14
    EntryPoint = 15
    ExecutionMode = 16
    Capability = 17
    TypeVoid = 19
    TypeBool = 20
    TypeInt = 21
    TypeFloat = 22
    TypeVector = 23
    TypeSampler = 26
    TypeSampledImage = 27
    TypeArray = 28
    TypeRuntimeArray = 29
    TypeStruct = 30
    TypePointer = 32
    TypeFunction = 33
    TypeForwardPointer = 39
    ConstantTrue = 41
    ConstantFalse = 42
    Constant = 43
    ConstantComposite = 44
    ConstantNull = 46
    SpecConstantTrue = 48
    SpecConstantFalse = 49
    SpecConstant = 50
    SpecConstantComposite = 51
    Function = 54
    FunctionParameter = 55
    FunctionEnd = 56
    FunctionCall = 57
    Variable = 59
    ImageTexelPointer = 60
    Load = 61
    Store = 62
    CopyMemory = 63
    AccessChain = 65
    InBoundsAccessChain = 66
    PtrAccessChain = 67
    ArrayLength = 68
    Decorate = 71
    MemberDecorate = 72
    DecorationGroup = 73
    GroupDecorate = 74
    VectorExtractDynamic = 77
    VectorInsertDynamic = 78
    VectorShuffle = 79
    CompositeConstruct = 80
    CompositeExtract = 81
    CompositeInsert = 82
    CopyObject = 83
    ConvertFToU = 109
    ConvertFToS = 110
    ConvertSToF = 111
    ConvertUToF = 112
    UConvert = 113
    SConvert = 114
    FConvert = 115
    QuantizeToF16 = 116
    ConvertPtrToU = 117
    ConvertUToPtr = 120
    Bitcast = 124
    SNegate = 126
    FNegate = 127
    IAdd = 128
    FAdd = 129
    ISub = 130
    FSub = 131
    IMul = 132
    FMul = 133
    UDiv = 134
    SDiv = 135
    FDiv = 136
    UMod = 137
    SRem = 138
    SMod = 139
    FRem = 140
    FMod = 141
    VectorTimesScalar = 142
    Dot = 148
    IAddCarry = 149
    ISubBorrow = 150
    UMulExtended = 151
    SMulExtended = 152
    Any = 154
    All = 155
    IsNan = 156
    IsInf = 157
    LogicalEqual = 164
    LogicalNotEqual = 165
    LogicalOr = 166
    LogicalAnd = 167
    LogicalNot = 168
    Select = 169
    IEqual = 170
    INotEqual = 171
    UGreaterThan = 172
    SGreaterThan = 173
    UGreaterThanEqual = 174
    SGreaterThanEqual = 175
    ULessThan = 176
    SLessThan = 177
    ULessThanEqual = 178
    SLessThanEqual = 179
    FOrdEqual = 180
    FUnordEqual = 181
    FOrdNotEqual = 182
    FUnordNotEqual = 183
    FOrdLessThan = 184
    FUnordLessThan = 185
    FOrdGreaterThan = 186
    FUnordGreaterThan = 187
    FOrdLessThanEqual = 188
    FUnordLessThanEqual = 189
    FOrdGreaterThanEqual = 190
    FUnordGreaterThanEqual = 191
    ShiftRightLogical = 194
    ShiftRightArithmetic = 195
    ShiftLeftLogical = 196
    BitwiseOr = 197
    BitwiseXor = 198
    BitwiseAnd = 199
    Not = 200
    BitFieldInsert = 201
    BitFieldSExtract = 202
    BitFieldUExtract = 203
    BitReverse = 204
    BitCount = 205
    ControlBarrier = 224
    MemoryBarrier = 225
    AtomicLoad = 227
    AtomicStore = 228
    AtomicExchange = 229
    AtomicCompareExchange = 230
    AtomicIIncrement = 232
    AtomicIDecrement = 233
    AtomicIAdd = 234
    AtomicISub = 235
    AtomicSMin = 236
    AtomicUMin = 237
    AtomicSMax = 238
    AtomicUMax = 239
    AtomicAnd = 240
    AtomicOr = 241
    AtomicXor = 242
    Phi = 245
    LoopMerge = 246
    SelectionMerge = 247
    Label = 248
    Branch = 249
    BranchConditional = 250
    Switch = 251
    Kill = 252
    Return = 253
    ReturnValue = 254
    Unreachable = 255
    NoLine = 317
    ModuleProcessed = 330
    ExecutionModeId = 331
    DecorateId = 332
    GroupNonUniformElect = 333
    GroupNonUniformAll = 334
    GroupNonUniformAny = 335
    GroupNonUniformAllEqual = 336
    GroupNonUniformBroadcast = 337
    GroupNonUniformBroadcastFirst = 338
    GroupNonUniformBallot = 339
    GroupNonUniformInverseBallot = 340
    GroupNonUniformBallotBitExtract = 341
    GroupNonUniformBallotBitCount = 342
    GroupNonUniformBallotFindLSB = 343
    GroupNonUniformBallotFindMSB = 344
    GroupNonUniformShuffle = 345
    GroupNonUniformShuffleXor = 346
    GroupNonUniformShuffleUp = 347
    GroupNonUniformShuffleDown = 348
    GroupNonUniformIAdd = 349
    GroupNonUniformFAdd = 350
    GroupNonUniformIMul = 351
    GroupNonUniformFMul = 352
    GroupNonUniformSMin = 353
    GroupNonUniformUMin = 354
    GroupNonUniformFMin = 355
    GroupNonUniformSMax = 356
    GroupNonUniformUMax = 357
    GroupNonUniformFMax = 358
    GroupNonUniformBitwiseAnd = 359
    GroupNonUniformBitwiseOr = 360
    GroupNonUniformBitwiseXor = 361
    GroupNonUniformLogicalAnd = 362
    GroupNonUniformLogicalOr = 363
    GroupNonUniformLogicalXor = 364
    GroupNonUniformQuadBroadcast = 365
    GroupNonUniformQuadSwap = 366
    CopyLogical = 400
    PtrEqual = 401
    PtrNotEqual = 402
    TerminateInvocation = 4416
    DecorateString = 5632
    DecorateStringGOOGLE = 5632
    MemberDecorateString = 5633
    MemberDecorateStringGOOGLE = 5633
    AtomicFAddEXT = 6035

class Capability:
    """Values of Capability."""

    Shader = 1
    Float16 = 9
    Float64 = 10
    Int64 = 11
    Int64Atomics = 12
    Int16 = 22
    Int8 = 39
    GroupNonUniform = 61
    GroupNonUniformVote = 62
    GroupNonUniformArithmetic = 63
    GroupNonUniformBallot = 64
    GroupNonUniformShuffle = 65
    GroupNonUniformShuffleRelative = 66
    GroupNonUniformClustered = 67
    GroupNonUniformQuad = 68
    StorageBuffer16BitAccess = 4433
    StorageBuffer8BitAccess = 4448
    DenormPreserve = 4464
    DenormFlushToZero = 4465
    SignedZeroInfNanPreserve = 4466
    RoundingModeRTE = 4467
    RoundingModeRTZ = 4468
    PhysicalStorageBufferAddresses = 5347
    AtomicFloat32AddEXT = 6033
    AtomicFloat64AddEXT = 6034

class AddressingModel:
    """Values of AddressingModel."""

    Logical = 0
    PhysicalStorageBuffer64 = 5348

class BuiltIn:
    """Values of BuiltIn."""

    NumWorkgroups = 24
    WorkgroupSize = 25
    WorkgroupId = 26
    LocalInvocationId = 27
    GlobalInvocationId = 28
    LocalInvocationIndex = 29
    SubgroupSize = 36
    NumSubgroups = 38
    SubgroupId = 40
    SubgroupLocalInvocationId = 41

class Decoration:
    """Values of Decoration."""

    SpecId = 1
    Block = 2
    ArrayStride = 6
    BuiltIn = 11
    Restrict = 19
    Aliased = 20
    Volatile = 21
    Coherent = 23
    NonWritable = 24
    NonReadable = 25
    Binding = 33
    DescriptorSet = 34
    Offset = 35
    FPRoundingMode = 39
    NoContraction = 42
    RestrictPointer = 5355
    AliasedPointer = 5356

class ExecutionModel:
    """Values of ExecutionModel."""

    GLCompute = 5

class ExecutionMode:
    """Values of ExecutionMode."""

    LocalSize = 17
    DenormPreserve = 4459
    DenormFlushToZero = 4460
    SignedZeroInfNanPreserve = 4461
    RoundingModeRTE = 4462
    RoundingModeRTZ = 4463

class FPRoundingMode:
    """Values of FPRoundingMode."""

    RTE = 0
    RTZ = 1

class FunctionControl:
    """Values of FunctionControl."""

    Default = 0
    Inline = 1
    DontInline = 2
    Pure = 4
    Const = 8

class GroupOperation:
    """Values of GroupOperation."""

    Reduce = 0
    InclusiveScan = 1
    ExclusiveScan = 2
    ClusteredReduce = 3

class LoopControl:
    """Values of LoopControl."""

    Default = 0
    Unroll = 1
    DontUnroll = 2

class MemoryAccess:
    """Values of MemoryAccess."""

    Default = 0
    Volatile = 1
    Aligned = 2
    Nontemporal = 4

class MemoryModel:
    """Values of MemoryModel."""

    GLSL450 = 1

class MemorySemantics:
    """Values of MemorySemantics."""

    Relaxed = 0
    Acquire = 2
    Release = 4
    AcquireRelease = 8
    UniformMemory = 64
    SubgroupMemory = 128
    WorkgroupMemory = 256

class Scope:
    """Values of Scope."""

    Device = 1
    Workgroup = 2
    Subgroup = 3
    Invocation = 4

class SelectionControl:
    """Values of SelectionControl."""

    Default = 0
    Flatten = 1
    DontFlatten = 2

class SourceLanguage:
    """Values of SourceLanguage."""

    Unknown = 0

class StorageClass:
    """Values of StorageClass."""

    Input = 1
    Workgroup = 4
    Private = 6
    Function = 7
    PushConstant = 9
    StorageBuffer = 12
    PhysicalStorageBuffer = 5349

class Glsl:
    """Instructions of GLSL.std.450."""

    RoundEven = 2
    Trunc = 3
    FAbs = 4
    SAbs = 5
    FSign = 6
    SSign = 7
    Floor = 8
    Ceil = 9
    Fract = 10
    Sin = 13
    Cos = 14
    Exp2 = 29
    Log2 = 30
    Sqrt = 31
    InverseSqrt = 32
    FMin = 37
    UMin = 38
    SMin = 39
    FMax = 40
    UMax = 41
    SMax = 42
    Fma = 50
    FindILsb = 73
    FindSMsb = 74
    FindUMsb = 75

LAYOUTS: dict[int, str] = {
    0: '', 1: 'TR', 2: 'S', 3: 'uLI?S?', 4: 'S', 5: 'IS', 6: 'ILS', 7: 'RS', 8: 'ILL', 10: 'S', 11: 'RS',
    12: 'TRILI*', 14: 'am', 15: 'eISI*', 16: 'Io', 17: 'c', 19: 'R', 20: 'R', 21: 'RLL', 22: 'RL', 23: 'RIL',
    26: 'R', 27: 'RI', 28: 'RII', 29: 'RI', 30: 'RI*', 32: 'RsI', 33: 'RII*', 39: 'Is', 41: 'TR', 42: 'TR',
    43: 'TRN', 44: 'TRI*', 46: 'TR', 48: 'TR', 49: 'TR', 50: 'TRN', 51: 'TRI*', 54: 'TRfI', 55: 'TR', 56: '',
    57: 'TRII*', 59: 'TRsI?', 60: 'TRIII', 61: 'TRIy?', 62: 'IIy?', 63: 'IIy?y?', 65: 'TRII*', 66: 'TRII*',
    67: 'TRIII*', 68: 'TRIL', 71: 'Id', 72: 'ILd', 73: 'R', 74: 'II*', 77: 'TRII', 78: 'TRIII', 79: 'TRIIL*',
    80: 'TRI*', 81: 'TRIL*', 82: 'TRIIL*', 83: 'TRI', 109: 'TRI', 110: 'TRI', 111: 'TRI', 112: 'TRI',
    113: 'TRI', 114: 'TRI', 115: 'TRI', 116: 'TRI', 117: 'TRI', 120: 'TRI', 124: 'TRI', 126: 'TRI',
    127: 'TRI', 128: 'TRII', 129: 'TRII', 130: 'TRII', 131: 'TRII', 132: 'TRII', 133: 'TRII', 134: 'TRII',
    135: 'TRII', 136: 'TRII', 137: 'TRII', 138: 'TRII', 139: 'TRII', 140: 'TRII', 141: 'TRII', 142: 'TRII',
    148: 'TRII', 149: 'TRII', 150: 'TRII', 151: 'TRII', 152: 'TRII', 154: 'TRI', 155: 'TRI', 156: 'TRI',
    157: 'TRI', 164: 'TRII', 165: 'TRII', 166: 'TRII', 167: 'TRII', 168: 'TRI', 169: 'TRIII', 170: 'TRII',
    171: 'TRII', 172: 'TRII', 173: 'TRII', 174: 'TRII', 175: 'TRII', 176: 'TRII', 177: 'TRII', 178: 'TRII',
    179: 'TRII', 180: 'TRII', 181: 'TRII', 182: 'TRII', 183: 'TRII', 184: 'TRII', 185: 'TRII', 186: 'TRII',
    187: 'TRII', 188: 'TRII', 189: 'TRII', 190: 'TRII', 191: 'TRII', 194: 'TRII', 195: 'TRII', 196: 'TRII',
    197: 'TRII', 198: 'TRII', 199: 'TRII', 200: 'TRI', 201: 'TRIIII', 202: 'TRIII', 203: 'TRIII', 204: 'TRI',
    205: 'TRI', 224: 'III', 225: 'II', 227: 'TRIII', 228: 'IIII', 229: 'TRIIII', 230: 'TRIIIIII',
    232: 'TRIII', 233: 'TRIII', 234: 'TRIIII', 235: 'TRIIII', 236: 'TRIIII', 237: 'TRIIII', 238: 'TRIIII',
    239: 'TRIIII', 240: 'TRIIII', 241: 'TRIIII', 242: 'TRIIII', 245: 'TRP*', 246: 'IIl', 247: 'It', 248: 'R',
    249: 'I', 250: 'IIIL*', 251: 'IIC*', 252: '', 253: '', 254: 'I', 255: '', 317: '', 330: 'S', 331: 'Io',
    332: 'Id', 333: 'TRI', 334: 'TRII', 335: 'TRII', 336: 'TRII', 337: 'TRIII', 338: 'TRII', 339: 'TRII',
    340: 'TRII', 341: 'TRIII', 342: 'TRIgI', 343: 'TRII', 344: 'TRII', 345: 'TRIII', 346: 'TRIII',
    347: 'TRIII', 348: 'TRIII', 349: 'TRIgII?', 350: 'TRIgII?', 351: 'TRIgII?', 352: 'TRIgII?',
    353: 'TRIgII?', 354: 'TRIgII?', 355: 'TRIgII?', 356: 'TRIgII?', 357: 'TRIgII?', 358: 'TRIgII?',
    359: 'TRIgII?', 360: 'TRIgII?', 361: 'TRIgII?', 362: 'TRIgII?', 363: 'TRIgII?', 364: 'TRIgII?',
    365: 'TRIII', 366: 'TRIII', 400: 'TRI', 401: 'TRII', 402: 'TRII', 4416: '', 5632: 'Id', 5633: 'ILd',
    6035: 'TRIIII',
}

OPCODE_CAPABILITIES: dict[int, tuple[int, ...]] = {
    29: (1,), 39: (5347,), 67: (5347,), 68: (1,), 117: (5347,), 120: (5347,), 201: (1,), 202: (1,),
    203: (1,), 204: (1,), 252: (1,), 333: (61,), 334: (62,), 335: (62,), 336: (62,), 337: (64,), 338: (64,),
    339: (64,), 340: (64,), 341: (64,), 342: (64,), 343: (64,), 344: (64,), 345: (65,), 346: (65,),
    347: (66,), 348: (66,), 349: (63, 67), 350: (63, 67), 351: (63, 67), 352: (63, 67), 353: (63, 67),
    354: (63, 67), 355: (63, 67), 356: (63, 67), 357: (63, 67), 358: (63, 67), 359: (63, 67), 360: (63, 67),
    361: (63, 67), 362: (63, 67), 363: (63, 67), 364: (63, 67), 365: (68,), 366: (68,), 4416: (1,),
    6035: (6033, 6034),
}

ENUMERANTS: dict[str, dict[int, tuple[str, tuple[int, ...]]]] = {
    'a': {
        0: ('', ()), 5348: ('', (5347,)),
    },
    'b': {
        24: ('', ()), 25: ('', ()), 26: ('', ()), 27: ('', ()), 28: ('', ()), 29: ('', ()), 36: ('', (61,)),
        38: ('', (61,)), 40: ('', (61,)), 41: ('', (61,)),
    },
    'd': {
        1: ('L', (1,)), 2: ('', (1,)), 6: ('L', (1,)), 11: ('b', ()), 19: ('', ()), 20: ('', ()),
        21: ('', ()), 23: ('', ()), 24: ('', ()), 25: ('', ()), 33: ('L', (1,)), 34: ('L', (1,)),
        35: ('L', (1,)), 39: ('r', ()), 42: ('', (1,)), 5355: ('', (5347,)), 5356: ('', (5347,)),
    },
    'e': {
        5: ('', (1,)),
    },
    'o': {
        17: ('LLL', ()), 4459: ('L', (4464,)), 4460: ('L', (4465,)), 4461: ('L', (4466,)),
        4462: ('L', (4467,)), 4463: ('L', (4468,)),
    },
    'r': {
        0: ('', ()), 1: ('', ()),
    },
    'f': {
        0: ('', ()), 1: ('', ()), 2: ('', ()), 4: ('', ()), 8: ('', ()),
    },
    'g': {
        0: ('', (63, 64)), 1: ('', (63, 64)), 2: ('', (63, 64)), 3: ('', (67,)),
    },
    'l': {
        0: ('', ()), 1: ('', ()), 2: ('', ()),
    },
    'y': {
        0: ('', ()), 1: ('', ()), 2: ('L', ()), 4: ('', ()),
    },
    'm': {
        1: ('', (1,)),
    },
    't': {
        0: ('', ()), 1: ('', ()), 2: ('', ()),
    },
    'u': {
        0: ('', ()),
    },
    's': {
        1: ('', ()), 4: ('', ()), 6: ('', (1,)), 7: ('', ()), 9: ('', (1,)), 12: ('', (1,)),
        5349: ('', (5347,)),
    },
    'c': {
        1: ('', ()), 9: ('', ()), 10: ('', ()), 11: ('', ()), 12: ('', ()), 22: ('', ()), 39: ('', ()),
        61: ('', ()), 62: ('', ()), 63: ('', ()), 64: ('', ()), 65: ('', ()), 66: ('', ()), 67: ('', ()),
        68: ('', ()), 4433: ('', ()), 4448: ('', ()), 4464: ('', ()), 4465: ('', ()), 4466: ('', ()),
        4467: ('', ()), 4468: ('', ()), 5347: ('', ()), 6033: ('', ()), 6034: ('', ()),
    },
}

BIT_KINDS: frozenset[str] = frozenset(['f', 'l', 't', 'y'])

GLSL_OPERANDS: dict[int, int] = {
    2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1, 9: 1, 10: 1, 13: 1, 14: 1, 29: 1, 30: 1, 31: 1, 32: 1, 37: 2,
    38: 2, 39: 2, 40: 2, 41: 2, 42: 2, 50: 3, 73: 1, 74: 1, 75: 1,
}
