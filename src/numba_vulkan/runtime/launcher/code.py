"""The native launcher as LLVM IR: the twin, in machine code, of `Device.enqueue` and `Queue`'s `open` and `submit`.

All that is outside is reached through a table of addresses, so that the object code can be kept in a file.
"""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
from llvmlite import ir

from .. import context
from ..binding import vk
from . import plan as layout

__all__ = ["PYTHON", "RECORD_KEY", "RECORD_PARAMETERS", "TABLE_WORDS", "build"]

# The table: functions and objects of Python, by name.
PYTHON = {
    name: i
    for i, name in enumerate(
        (
            "PyLong_AsVoidPtr",
            "PyLong_AsLongLongAndOverflow",
            "PyLong_AsUnsignedLongLongMask",
            "PyNumber_Index",
            "PyFloat_AsDouble",
            "Py_IncRef",
            "Py_DecRef",
            "PyEval_SaveThread",
            "PyEval_RestoreThread",
            "True",
            "False",
            "None",
            "NotImplemented",
            "native_offset",
        )
    )
}
TABLE_WORDS = len(PYTHON)
# Words of the record of a device array: its key, then its parameters.
RECORD_KEY, RECORD_PARAMETERS = 0, 1

_I1, _I8, _I32, _I64 = ir.IntType(1), ir.IntType(8), ir.IntType(32), ir.IntType(64)
_F32, _F64, _VOID = ir.FloatType(), ir.DoubleType(), ir.VoidType()
_STAGES = vk.VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | vk.VK_PIPELINE_STAGE_TRANSFER_BIT
# What `nv_open` returns when too many batches are in flight, and `nv_record` then.
_FULL, _WAIT = -1, 2
_WAIT_WORDS = ctypes.sizeof(vk.VkSemaphoreWaitInfo) // 8


class _Code:
    """Emits loads, stores and calls; addresses are integers until they are used."""

    def __init__(self, builder: ir.IRBuilder, table: ir.Value) -> None:
        self.b = builder
        self.table = table

    def pointer(self, address: ir.Value, to: ir.Type) -> ir.Value:
        return self.b.inttoptr(address, to.as_pointer())

    def at(self, address: ir.Value, word: int | ir.Value) -> ir.Value:
        offset = _I64(8 * word) if isinstance(word, int) else self.b.mul(word, _I64(8))
        return self.b.add(address, offset)

    def load(self, address: ir.Value, word: int | ir.Value = 0, to: ir.Type = _I64) -> ir.Value:
        return self.b.load(self.pointer(self.at(address, word), to), typ=to)

    def store(self, value: ir.Value, address: ir.Value, word: int | ir.Value = 0) -> None:
        self.b.store(value, self.pointer(self.at(address, word), value.type))

    def call(self, function: ir.Value, result: ir.Type, *arguments: ir.Value) -> ir.Value:
        kind = ir.FunctionType(result, [a.type for a in arguments])
        return self.b.call(self.b.inttoptr(function, kind.as_pointer()), arguments)

    def python(self, name: str, result: ir.Type, *arguments: ir.Value) -> ir.Value:
        return self.call(self.load(self.table, PYTHON[name]), result, *arguments)

    def vulkan(self, words: ir.Value, name: str, result: ir.Type, *arguments: ir.Value) -> ir.Value:
        return self.call(self.load(words, context.FUNCTIONS[name]), result, *arguments)


def build() -> str:
    """Return the module; ``nv_table`` is to be filled in before ``nv_launch`` is called."""
    module = ir.Module("numba_vulkan_launcher")
    module.triple = llvm.get_default_triple()
    table = ir.GlobalVariable(module, ir.ArrayType(_I64, TABLE_WORDS), "nv_table")
    table.initializer = ir.Constant(ir.ArrayType(_I64, TABLE_WORDS), [0] * TABLE_WORDS)
    opened = _emit_open(module)
    submitted = _emit_submit(module)
    recorded = _emit_record(module, opened, submitted)
    matched = _emit_match(module)
    _emit_launch(module, matched, recorded, _emit_await(module))
    return str(module)


def _function(module: ir.Module, name: str, result: ir.Type, count: int) -> tuple[ir.Function, _Code]:
    function = ir.Function(module, ir.FunctionType(result, [_I64] * count), name)
    function.linkage = "external" if name == "nv_launch" else "internal"
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    table = builder.ptrtoint(module.get_global("nv_table"), _I64)
    return function, _Code(builder, table)


def _emit_open(module: ir.Module) -> ir.Function:
    """``i64 nv_open(context)``: the open command buffer; 0 if that failed, `_FULL` if it takes waiting."""
    function, code = _function(module, "nv_open", _I64, 1)
    b, words = code.b, function.args[0]
    open_already = code.load(words, context.COMMANDS)
    with b.if_then(b.icmp_unsigned("!=", open_already, _I64(0))):
        b.ret(open_already)
    serial = code.load(words, context.SERIAL)
    last_user = b.sub(serial, _I64(context.RING_SIZE))
    with b.if_then(b.icmp_signed("<", code.load(words, context.COMPLETED), last_user)):
        place = code.at(words, context.RESULT)
        device, semaphore = code.load(words, context.DEVICE), code.load(words, context.SEMAPHORE)
        result = code.vulkan(words, "vkGetSemaphoreCounterValue", _I32, device, semaphore, place)
        with b.if_then(b.icmp_signed("<", result, _I32(0))):
            b.ret(_I64(0))
        completed = code.load(words, context.RESULT)
        code.store(_I64(0), words, context.RESULT)
        with b.if_then(b.icmp_signed("<", completed, last_user)):
            b.ret(_I64(_FULL))
        code.store(completed, words, context.COMPLETED)
    position = b.urem(serial, _I64(context.RING_SIZE))
    commands = code.load(words, b.add(position, _I64(context.RING)))
    begun = code.vulkan(words, "vkBeginCommandBuffer", _I32, commands, code.load(words, context.BEGIN_INFO))
    with b.if_then(b.icmp_signed("<", begun, _I32(0))):
        b.ret(_I64(0))
    for word in (context.PIPELINE, context.SET, context.COUNT):
        code.store(_I64(0), words, word)
    code.store(code.load(words, context.RAMP), words, context.LIMIT)
    code.store(commands, words, context.COMMANDS)
    b.ret(commands)
    return function


def _emit_await(module: ir.Module) -> ir.Function:
    """``i1 nv_await(context)``: waits until a batch fewer is in flight; 0 if that took too long or failed.

    Other threads run meanwhile and may change everything but the context: plans have to be found anew.
    """
    function, code = _function(module, "nv_await", _I1, 1)
    b, words = code.b, function.args[0]
    value, info = b.alloca(_I64), b.alloca(_I64, _WAIT_WORDS)
    b.store(b.sub(code.load(words, context.SERIAL), _I64(context.RING_SIZE)), value)
    place = b.ptrtoint(info, _I64)
    semaphore = code.at(words, context.SEMAPHORE)
    fields = (_I64(vk.VkSemaphoreWaitInfo.structure_type), _I64(0), _I64(1 << 32), semaphore)
    for word, field in enumerate((*fields, b.ptrtoint(value, _I64))):
        code.store(field, place, word)
    state = code.python("PyEval_SaveThread", _I64)
    arguments = code.load(words, context.DEVICE), place, _I64(context.PIECE_NS)
    result = code.vulkan(words, "vkWaitSemaphores", _I32, *arguments)
    code.python("PyEval_RestoreThread", _VOID, state)
    b.ret(b.icmp_signed("==", result, _I32(vk.VK_SUCCESS)))
    return function


def _emit_barrier(code: _Code, words: ir.Value, commands: ir.Value, stages: int, info: int) -> None:
    zero, none = _I32(0), _I64(0)
    arguments = (
        commands,
        _I32(_STAGES),
        _I32(stages),
        zero,
        _I32(1),
        code.load(words, info),
        zero,
        none,
        zero,
        none,
    )
    code.vulkan(words, "vkCmdPipelineBarrier", _VOID, *arguments)


def _emit_submit(module: ir.Module) -> ir.Function:
    """``i32 nv_submit(context)``: starts the open batch; a negative result leaves it to be abandoned."""
    function, code = _function(module, "nv_submit", _I32, 1)
    b, words = code.b, function.args[0]
    commands, serial = code.load(words, context.COMMANDS), code.load(words, context.SERIAL)
    _emit_barrier(code, words, commands, vk.VK_PIPELINE_STAGE_HOST_BIT, context.HOST_BARRIER)
    ended = code.vulkan(words, "vkEndCommandBuffer", _I32, commands)
    with b.if_then(b.icmp_signed("<", ended, _I32(0))):
        b.ret(ended)
    code.store(serial, code.load(words, context.SIGNAL))
    position = b.urem(serial, _I64(context.RING_SIZE))
    info = code.load(words, b.add(position, _I64(context.SUBMIT_INFOS)))
    queue = code.load(words, context.QUEUE)
    submitted = code.vulkan(words, "vkQueueSubmit", _I32, queue, _I32(1), info, _I64(0))
    with b.if_then(b.icmp_signed("<", submitted, _I32(0))):
        b.ret(submitted)
    code.store(_I64(0), words, context.COMMANDS)
    code.store(b.add(serial, _I64(1)), words, context.SERIAL)
    doubled = b.shl(code.load(words, context.RAMP), _I64(1))
    most = _I64(context.MAX_BATCH)
    code.store(b.select(b.icmp_signed("<", doubled, most), doubled, most), words, context.RAMP)
    b.ret(submitted)
    return function


def _loop(code: _Code, count: ir.Value) -> tuple[ir.PhiInstr, ir.Block, ir.Block]:
    """Start a loop over 0 … count - 1; returns the counter, the block to jump to for the next round, and the end."""
    b = code.b
    start, head = b.block, b.append_basic_block("head")
    body, step, end = (b.append_basic_block(name) for name in ("body", "step", "end"))
    b.branch(head)
    b.position_at_end(head)
    i = b.phi(_I64)
    i.add_incoming(_I64(0), start)
    b.cbranch(b.icmp_signed("<", i, count), body, end)
    b.position_at_end(step)
    i.add_incoming(b.add(i, _I64(1)), step)
    b.branch(head)
    b.position_at_end(body)
    return i, step, end


def _emit_uses(code: _Code, plan: ir.Value, words: ir.Value, commands: ir.Value) -> None:
    """Note what the launch uses, with a barrier first if something conflicts; the twin of `Queue.use`."""
    b = code.b
    count = code.load(plan, layout.NRECORDS)
    limit = b.shl(code.load(words, context.EPOCH), _I64(1))
    conflict = b.alloca(_I1)
    b.store(_I1(0), conflict)
    i, step, end = _loop(code, count)
    record, written = _record(code, plan, i)
    touched = code.load(record, context.BUFFER_EPOCH)
    # A write conflicts with any use since the last barrier, a read with a write, which is an odd number.
    worst = b.add(limit, b.sub(_I64(1), written))
    b.store(b.or_(b.load(conflict, typ=_I1), b.icmp_signed(">=", touched, worst)), conflict)
    b.branch(step)
    b.position_at_end(end)
    with b.if_then(b.load(conflict, typ=_I1)):
        _emit_barrier(code, words, commands, _STAGES, context.BARRIER)
        code.store(b.add(code.load(words, context.EPOCH), _I64(1)), words, context.EPOCH)
    limit = b.shl(code.load(words, context.EPOCH), _I64(1))
    serial = code.load(words, context.SERIAL)
    i, step, end = _loop(code, count)
    record, written = _record(code, plan, i)
    code.store(serial, record, context.BUFFER_SERIAL)
    mark, touched = b.add(limit, written), code.load(record, context.BUFFER_EPOCH)
    code.store(b.select(b.icmp_signed("<", touched, mark), mark, touched), record, context.BUFFER_EPOCH)
    b.branch(step)
    b.position_at_end(end)
    code.store(serial, code.load(plan, layout.SLOT))


def _record(code: _Code, plan: ir.Value, i: ir.Value) -> tuple[ir.Value, ir.Value]:
    word = code.b.add(code.b.shl(i, _I64(1)), _I64(layout.RECORDS))
    return code.load(plan, word), code.load(plan, code.b.add(word, _I64(1)))


def _emit_record(module: ir.Module, opened: ir.Function, submitted: ir.Function) -> ir.Function:
    """``i32 nv_record(plan)``: 0 if the launch was recorded, negative if its batch was lost.

    If it was not recorded, 1, or `_WAIT` if it can be after a wait.
    """
    function, code = _function(module, "nv_record", _I32, 1)
    b, plan = code.b, function.args[0]
    words = code.load(plan, layout.CONTEXT)
    with b.if_then(b.icmp_signed("!=", code.load(words, context.BUSY), _I64(0))):
        b.ret(_I32(1))
    with b.if_then(_any_in_stream(code, plan)):
        b.ret(_I32(1))
    commands = b.call(opened, [words])
    with b.if_then(b.icmp_signed("<=", commands, _I64(0))):
        b.ret(b.select(b.icmp_signed("==", commands, _I64(_FULL)), _I32(_WAIT), _I32(1)))
    _emit_uses(code, plan, words, commands)
    pipeline, place = code.load(plan, layout.PIPELINE), code.load(plan, layout.LAYOUT)
    point = _I32(vk.VK_PIPELINE_BIND_POINT_COMPUTE)
    with b.if_then(b.icmp_signed("!=", pipeline, code.load(words, context.PIPELINE))):
        code.vulkan(words, "vkCmdBindPipeline", _VOID, commands, point, pipeline)
        code.store(pipeline, words, context.PIPELINE)
    chosen = code.load(plan, layout.SET)
    is_new = b.icmp_signed("!=", chosen, code.load(words, context.SET))
    with b.if_then(b.and_(b.icmp_signed("!=", chosen, _I64(0)), is_new)):
        sets = (_I32(0), _I32(1), code.at(plan, layout.SET), _I32(0), _I64(0))
        code.vulkan(words, "vkCmdBindDescriptorSets", _VOID, commands, point, place, *sets)
        code.store(chosen, words, context.SET)
    size = b.trunc(code.load(plan, layout.PUSH_BYTES), _I32)
    with b.if_then(b.icmp_signed("!=", size, _I32(0))):
        stage = _I32(vk.VK_SHADER_STAGE_COMPUTE_BIT)
        push = (stage, _I32(0), size, code.at(plan, layout.PUSH))
        code.vulkan(words, "vkCmdPushConstants", _VOID, commands, place, *push)
    axes = (layout.GROUPS_X, layout.GROUPS_Y, layout.GROUPS_Z)
    groups = [b.trunc(code.load(plan, axis), _I32) for axis in axes]
    code.vulkan(words, "vkCmdDispatch", _VOID, commands, *groups)
    count = b.add(code.load(words, context.COUNT), _I64(1))
    code.store(count, words, context.COUNT)
    with b.if_then(b.icmp_signed(">=", count, code.load(words, context.LIMIT))):
        result = b.call(submitted, [words])
        with b.if_then(b.icmp_signed("<", result, _I32(0))):
            code.store(b.sext(result, _I64), words, context.RESULT)
            b.ret(result)
    b.ret(_I32(0))
    return function


def _any_in_stream(code: _Code, plan: ir.Value) -> ir.Value:
    """Return whether a stream uses a block; then the launch has to wait for it."""
    b = code.b
    found = b.alloca(_I1)
    b.store(_I1(0), found)
    i, step, end = _loop(code, code.load(plan, layout.NRECORDS))
    record, _ = _record(code, plan, i)
    touched = code.load(record, context.BUFFER_EPOCH)
    b.store(b.or_(b.load(found, typ=_I1), b.icmp_signed(">=", touched, _I64(context.IN_STREAM))), found)
    b.branch(step)
    b.position_at_end(end)
    return b.load(found, typ=_I1)


# ---------------------------------------------------------------- arguments


def _emit_match(module: ir.Module) -> ir.Function:
    """``i1 nv_match(plan, args, nargs)``: whether a plan serves the arguments; fills in its push constants."""
    function, code = _function(module, "nv_match", _I1, 3)
    b, (plan, args, nargs) = code.b, function.args
    with b.if_then(b.icmp_signed("!=", nargs, code.load(plan, layout.NARGS))):
        b.ret(_I1(0))
    refused = b.append_basic_block("refused")
    i, step, end = _loop(code, nargs)
    given = code.load(args, i)
    entry = code.at(plan, b.add(b.mul(i, _I64(layout.ARGUMENT_WORDS)), _I64(layout.ARGUMENTS)))
    # The type of an object is its second word, which the self-test makes sure of.
    right = b.icmp_unsigned("==", code.load(given, 1), code.load(entry, layout.TYPE))
    known = b.append_basic_block("known")
    b.cbranch(right, known, refused)
    b.position_at_end(known)
    target = b.add(code.at(plan, layout.PUSH), code.load(entry, layout.OFFSET))
    switch = b.switch(code.load(entry, layout.KIND), refused)
    for kind, emit in _KINDS.items():
        block = b.append_basic_block(kind.name.lower())
        switch.add_case(_I64(int(kind)), block)
        b.position_at_end(block)
        emit(code, given, entry, target, refused)
        b.branch(step)
    b.position_at_end(refused)
    b.ret(_I1(0))
    b.position_at_end(end)
    b.ret(_I1(1))
    return function


def _require(code: _Code, condition: ir.Value, refused: ir.Block) -> None:
    go_on = code.b.append_basic_block("go_on")
    code.b.cbranch(condition, go_on, refused)
    code.b.position_at_end(go_on)


def _emit_array(code: _Code, given: ir.Value, entry: ir.Value, target: ir.Value, refused: ir.Block) -> None:
    b = code.b
    number = code.load(b.add(given, code.load(code.table, PYTHON["native_offset"])))
    record = code.python("PyLong_AsVoidPtr", _I64, number)
    _require(code, b.icmp_unsigned("!=", record, _I64(0)), refused)
    key = code.load(record, RECORD_KEY)
    _require(code, b.icmp_signed("==", key, code.load(entry, layout.KEY)), refused)
    i, step, end = _loop(code, code.load(entry, layout.COUNT))
    offset = b.shl(i, _I64(2))
    word = code.load(b.add(code.at(record, RECORD_PARAMETERS), offset), 0, _I32)
    code.store(word, b.add(target, offset))
    b.branch(step)
    b.position_at_end(end)


def _emit_double(code: _Code, given: ir.Value, entry: ir.Value, target: ir.Value, refused: ir.Block) -> None:
    code.store(code.python("PyFloat_AsDouble", _F64, given), target)


def _emit_float(code: _Code, given: ir.Value, entry: ir.Value, target: ir.Value, refused: ir.Block) -> None:
    code.store(code.b.fptrunc(code.python("PyFloat_AsDouble", _F64, given), _F32), target)


def _emit_int64(code: _Code, given: ir.Value, entry: ir.Value, target: ir.Value, refused: ir.Block) -> None:
    with code.b.goto_entry_block():
        overflow = code.b.alloca(_I32)
    place = code.b.ptrtoint(overflow, _I64)
    value = code.python("PyLong_AsLongLongAndOverflow", _I64, given, place)
    _require(code, code.b.icmp_signed("==", code.b.load(overflow, typ=_I32), _I32(0)), refused)
    code.store(value, target)


def _index(code: _Code, given: ir.Value, refused: ir.Block) -> ir.Value:
    number = code.python("PyNumber_Index", _I64, given)
    _require(code, code.b.icmp_unsigned("!=", number, _I64(0)), refused)
    value = code.python("PyLong_AsUnsignedLongLongMask", _I64, number)
    code.python("Py_DecRef", _VOID, number)
    return value


def _emit_index32(code: _Code, given: ir.Value, entry: ir.Value, target: ir.Value, refused: ir.Block) -> None:
    code.store(code.b.trunc(_index(code, given, refused), _I32), target)


def _emit_index64(code: _Code, given: ir.Value, entry: ir.Value, target: ir.Value, refused: ir.Block) -> None:
    code.store(_index(code, given, refused), target)


def _emit_bool(code: _Code, given: ir.Value, entry: ir.Value, target: ir.Value, refused: ir.Block) -> None:
    is_true = code.b.icmp_unsigned("==", given, code.load(code.table, PYTHON["True"]))
    code.store(code.b.zext(is_true, _I32), target)


_KINDS = {
    layout.ArgumentKind.ARRAY: _emit_array,
    layout.ArgumentKind.DOUBLE: _emit_double,
    layout.ArgumentKind.FLOAT: _emit_float,
    layout.ArgumentKind.INT64: _emit_int64,
    layout.ArgumentKind.INDEX32: _emit_index32,
    layout.ArgumentKind.INDEX64: _emit_index64,
    layout.ArgumentKind.BOOL: _emit_bool,
}


def _emit_launch(
    module: ir.Module, matched: ir.Function, recorded: ir.Function, awaited: ir.Function
) -> None:
    """``PyObject *nv_launch(self, args, nargs)``, self an integer: the address of the first plan's address.

    Returns True if the launch was recorded, False if it has to be made otherwise, NotImplemented if the batch that it
    was recorded in could not be started.
    """
    function, code = _function(module, "nv_launch", _I64, 3)
    b, (self, args, nargs) = code.b, function.args
    head = code.python("PyLong_AsVoidPtr", _I64, self)
    start, loop = b.append_basic_block("start"), b.append_basic_block("plans")
    names = ("found", "following", "waiting", "ended", "slow")
    found, following, waiting, ended, slow = (b.append_basic_block(name) for name in names)
    b.branch(start)
    b.position_at_end(start)
    first = code.load(head)
    b.branch(loop)
    b.position_at_end(loop)
    plan = b.phi(_I64)
    plan.add_incoming(first, start)
    check = b.append_basic_block("check")
    b.cbranch(b.icmp_unsigned("==", plan, _I64(0)), slow, check)
    b.position_at_end(check)
    b.cbranch(b.call(matched, [plan, args, nargs]), found, following)
    b.position_at_end(following)
    plan.add_incoming(code.load(plan, layout.NEXT), following)
    b.branch(loop)
    b.position_at_end(found)
    words = code.load(plan, layout.CONTEXT)
    result = b.call(recorded, [plan])
    b.cbranch(b.icmp_signed("==", result, _I32(_WAIT)), waiting, ended)
    b.position_at_end(waiting)
    b.cbranch(b.call(awaited, [words]), start, slow)
    b.position_at_end(ended)
    done, lost = b.icmp_signed("==", result, _I32(0)), b.icmp_signed("<", result, _I32(0))
    true, false = (code.load(code.table, PYTHON[name]) for name in ("True", "False"))
    answer = b.select(done, true, b.select(lost, code.load(code.table, PYTHON["NotImplemented"]), false))
    code.python("Py_IncRef", _VOID, answer)
    b.ret(answer)
    b.position_at_end(slow)
    code.python("Py_IncRef", _VOID, code.load(code.table, PYTHON["False"]))
    b.ret(code.load(code.table, PYTHON["False"]))
