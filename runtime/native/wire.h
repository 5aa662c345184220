// What the program's runtime and the simulator say to each other: a request, then its answer, over a socket of stream type. Numbers are
// little-endian; both are programs of one machine. runtime/wire.go is the other side.
#pragma once
#include <stdint.h>

// Operations of the simulator. The order is that of runtime/wire.go, which a test holds beside it.
enum Operation {
  OP_HELLO, OP_MODULE, OP_KERNEL, OP_LAUNCH, OP_ALLOCATE, OP_FREE, OP_COPY, OP_FILL, OP_SYNCHRONIZE, OP_SYMBOL, OP_WRITE_CONSTANT, OP_READ_CONSTANT,
  OP_STREAM_CREATE, OP_STREAM_DESTROY, OP_STREAM_QUERY, OP_STREAM_WAIT, OP_EVENT_CREATE, OP_EVENT_DESTROY, OP_EVENT_RECORD, OP_EVENT_QUERY,
  OP_EVENT_ELAPSED, OP_ATTRIBUTES, OP_MEMORY, OP_OCCUPANCY, OP_TEXTURE, OP_TEXTURE_DESTROY, OP_RESET, OP_POINTER, OP_NOTE, OP_PROFILER, OP_LIMIT, OP_CALLBACK,
  OP_CALLBACK_DONE, OP_PROGRESS, OP_PEER, OP_GOODBYE, OP_SLEEP
};

// What OP_MODULE does with a module: it keeps it until it is used, loads it at once, or only tries it, as a piece to be linked or as a whole.
enum ModuleMode { MODULE_KEEP, MODULE_LOAD, MODULE_PARSE, MODULE_LINK };
// What OP_SYMBOL asks for: a variable's size (and its address, unless that has to be made), whether there is a reference, or both of the first.
enum SymbolMode { SYMBOL_SIZE, SYMBOL_REFERENCE, SYMBOL_ADDRESS };
// What OP_PEER does with a device as a peer of another.
enum PeerMode { PEER_ASK, PEER_ENABLE, PEER_DISABLE };

struct Request {
  uint32_t operation, call, device, bytes; // call: the number of the API function; bytes follow
  uint64_t a[8];
};

struct Answer {
  int32_t error;
  uint32_t bytes; // of data that follow
  uint32_t text;  // bytes after those: what kernels have printed
  uint32_t sticky; // 1: the device is lost to this process until cudaDeviceReset; 2: no answer yet, call back function r[0] with status r[1]
  uint64_t r[6];
};
