// CUDA's runtime API inside the program. It keeps what is the program's own (registered kernels and variables, each thread's device and last error),
// copies memory, and asks the simulator for everything else: wire.h.
#include <emmintrin.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "keplersim_cuda.h"
#include "wire.h"

#define API(NAME) CALL_##NAME
#include "calls.h"

struct CUmod_st; // driver.inc has it

namespace {

// ---- What the compiled program registers before main ----

struct Module {
  const char *image; // keplersim's header, then PTX
  uint64_t bytes;
  int number;
  bool sent;
  Module *next;
  CUmod_st *handle; // of the driver API; null where none was asked for
};
enum EntryKind { KERNEL, VARIABLE, TEXTURE, SURFACE };
struct Kernel;
struct Entry {
  EntryKind kind;
  const void *host;
  const char *name;
  Module *module;
  size_t bytes;
  bool constant;
  Kernel *kernel; // what the simulator said of it
  uint64_t bound;   // of a texture: the handle in use
  uint64_t address; // of a managed variable: the device's, 0 before it is shared
  Entry *next, *next_managed;
};
struct Kernel {
  int shared_config, cache_config;
  uint32_t parameter_bytes, parameters;
  uint32_t *layout; // offset and size of each
  uint64_t attributes[8];
};

const int BUCKETS = 4096;
Entry *table[BUCKETS];
Module *modules;
int module_count;

unsigned bucket(const void *p) { return (unsigned)(((uintptr_t)p >> 3) * 2654435761u >> 8) % BUCKETS; }
Entry *find(const void *host, EntryKind kind) {
  for (Entry *e = table[bucket(host)]; e; e = e->next)
    if (e->host == host && e->kind == kind) return e;
  return nullptr;
}
Entry *add(void **handle, EntryKind kind, const void *host, const char *name) {
  Entry *e = (Entry *)calloc(1, sizeof *e);
  e->kind = kind, e->host = host, e->name = name, e->module = (Module *)handle;
  e->next = table[bucket(host)], table[bucket(host)] = e;
  return e;
}

// ---- The connection ----

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int connection = -1;
bool lost;            // the simulator is gone
bool unloading;       // the program ends, and its simulator has ended
bool forked;          // this process is a child of the one that is connected: CUDA is not for it, as on hardware
int devices;          // how many there are
uint64_t arena_base;  // device addresses of the shared memory
uint64_t arena_bytes;
int arena_file = -1;  // the shared memory's
char *alias;          // the same memory where the program does not look: device memory is closed to it under its own address

thread_local int current_device;
thread_local cudaError_t last_error;
cudaError_t sticky_error;

bool send_all(const void *data, size_t n) {
  for (const char *p = (const char *)data; n;) {
    ssize_t done = send(connection, p, n, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    p += done, n -= (size_t)done;
  }
  return true;
}
bool receive_all(void *data, size_t n) {
  for (char *p = (char *)data; n;) {
    ssize_t done = recv(connection, p, n, 0);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    p += done, n -= (size_t)done;
  }
  return true;
}

// Sends a request with its payload: at once if it is small, since each part wakes the simulator.
bool send_request(const Request &q, const void *payload) {
  char both[4096];
  if (q.bytes > sizeof both - sizeof q) return send_all(&q, sizeof q) && send_all(payload, q.bytes);
  memcpy(both, &q, sizeof q);
  if (q.bytes) memcpy(both + sizeof q, payload, q.bytes);
  return send_all(both, sizeof q + q.bytes);
}

void lose(const char *why) {
  if (!lost) fprintf(stderr, "keplersim: %s; every CUDA call of the program fails from now on\n", why);
  lost = true;
}

// ---- Callbacks: a thread of their own runs them, when the simulator says that their turn has come ----

struct Callback {
  cudaStreamCallback_t stream_call;
  cudaHostFn_t host_call;
  cudaStream_t stream;
  void *data;
  uint64_t number;
  Callback *next;
};
pthread_mutex_t callback_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t callback_change = PTHREAD_COND_INITIALIZER;
Callback *callback_list; // those whose turn has not come
uint64_t callback_number;
uint64_t callback_due; // the one to run now, 0 for none
cudaError_t callback_status;
bool callback_thread_runs;
pthread_t callback_thread;
uint64_t exchanges; // how many there have been: silence is when the number stands still

bool on_callback_thread() { return callback_thread_runs && pthread_equal(pthread_self(), callback_thread); }

Callback *take_callback(uint64_t number) {
  pthread_mutex_lock(&callback_lock);
  Callback **at = &callback_list;
  while (*at && (*at)->number != number) at = &(*at)->next;
  Callback *c = *at;
  if (c) *at = c->next;
  pthread_mutex_unlock(&callback_lock);
  return c;
}
void call_callback(uint64_t number, cudaError_t status) {
  Callback *c = take_callback(number);
  if (!c) return;
  if (c->stream_call) c->stream_call(c->stream, status, c->data);
  else if (status == cudaSuccess) c->host_call(c->data);
  free(c);
}
// Has the callbacks' thread run one, and waits for it.
void run_callback(uint64_t number, cudaError_t status) {
  if (on_callback_thread()) return call_callback(number, status);
  pthread_mutex_lock(&callback_lock);
  callback_due = number, callback_status = status;
  pthread_cond_broadcast(&callback_change);
  while (callback_due) pthread_cond_wait(&callback_change, &callback_lock);
  pthread_mutex_unlock(&callback_lock);
}

// One request and its answer, under the lock. data receives at most room bytes of the answer's data.
cudaError_t exchange(Request &q, const void *payload, Answer &a, void *data, size_t room) {
  if (unloading) return cudaErrorCudartUnloading; // a destructor frees what is gone
  if (lost) return cudaErrorDevicesUnavailable;
  if (!send_request(q, payload) || !receive_all(&a, sizeof a)) {
    lose("the simulator is gone");
    return cudaErrorDevicesUnavailable;
  }
  exchanges++;
  while (a.sticky == 2) {
    run_callback(a.r[0], (cudaError_t)a.r[1]);
    Request over = {OP_CALLBACK_DONE, 0, q.device, 0, {}};
    if (!send_all(&over, sizeof over) || !receive_all(&a, sizeof a)) {
      lose("the simulator is gone");
      return cudaErrorDevicesUnavailable;
    }
  }
  size_t take = a.bytes < room ? a.bytes : room;
  bool ok = receive_all(data, take);
  for (size_t rest = a.bytes - take; ok && rest;) {
    char waste[4096];
    size_t n = rest < sizeof waste ? rest : sizeof waste;
    ok = receive_all(waste, n), rest -= n;
  }
  for (uint32_t rest = a.text; ok && rest;) { // what kernels printed comes out of the program's own stream, in its place
    char text[4096];
    uint32_t n = rest < sizeof text ? rest : (uint32_t)sizeof text;
    ok = receive_all(text, n), rest -= n;
    if (ok) fwrite(text, 1, n, stdout);
  }
  if (!ok) {
    lose("the simulator is gone");
    return cudaErrorDevicesUnavailable;
  }
  if (a.sticky) sticky_error = (cudaError_t)a.error;
  return (cudaError_t)a.error;
}

bool inherited(const char *name, int *fd) {
  const char *text = getenv(name);
  if (!text || !*text) return false;
  *fd = atoi(text);
  return fcntl(*fd, F_SETFD, FD_CLOEXEC) == 0;
}

void say_goodbye();
pid_t simulator; // which this program started, 0 for none

// What a call gets that reaches no simulator.
cudaError_t unreachable() { return forked ? cudaErrorInitializationError : cudaErrorDevicesUnavailable; }

// In a child that fork made of the connected program: the connection stays the parent's alone.
void in_child() {
  close(connection);
  connection = -1, simulator = 0, forked = true;
}

// Which process may use a socket that several have inherited: the first to take the byte that lies in it.
bool take_token() {
  char token;
  return recv(connection, &token, 1, MSG_DONTWAIT) == 1;
}

void at_exit(int status, void *) {
  say_goodbye();
  fflush(stdout);
  if (simulator <= 0) return;
  signal(SIGCHLD, SIG_DFL); // a program that ignores its children's ends would not learn how this one ended
  if (connection >= 0) shutdown(connection, SHUT_RDWR);
  unloading = true;
  int end = 0; // its report comes before the program's end is told
  bool told;
  while (!(told = waitpid(simulator, &end, 0) > 0) && errno == EINTR) {}
  if (!told && lost) end = -1; // it ended while the program ignored its children's ends
  // A program that the simulator failed, or whose kernels it found mistakes in, has not succeeded. glibc lets a handler call exit: the
  // handlers that are left run.
  if (status == 0 && end != 0) exit(WIFEXITED(end) ? WEXITSTATUS(end) : 1);
}

// A program that was started by itself starts its simulator, which gets the socket and the shared memory as files 3 and 4.
bool start_simulator(int *arena) {
  const char *name = getenv("KEPLERSIM");
  if (!name || !*name) name = "keplersim";
  int pair[2], memory = memfd_create("keplersim", MFD_CLOEXEC);
  if (memory < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return false;
  int theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, 100), given = fcntl(memory, F_DUPFD_CLOEXEC, 100); // out of the way of 3 and 4
  close(pair[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, theirs, 3);
  posix_spawn_file_actions_adddup2(&actions, given, 4);
  char *arguments[] = {(char *)"keplersim", (char *)"serve", nullptr};
  int failed = posix_spawnp(&simulator, name, &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(theirs), close(given);
  if (failed) {
    simulator = 0;
    close(pair[0]), close(memory);
    return false;
  }
  connection = pair[0], *arena = memory;
  return true;
}

// How many hardware queues the program's environment asks for; 0 where it does not say.
uint64_t asked_connections() {
  const char *text = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  long n = text ? strtol(text, nullptr, 10) : 0;
  return n < 1 ? 0 : n > 32 ? 32 : (uint64_t)n;
}

bool connect_simulator() {
  if (connection >= 0 || lost || forked) return !lost && !forked;
  int arena = -1;
  bool given = inherited("KEPLERSIM_SOCKET", &connection) && inherited("KEPLERSIM_ARENA", &arena) && take_token();
  unsetenv("KEPLERSIM_SOCKET"), unsetenv("KEPLERSIM_ARENA"); // programs that this one starts have their own
  if (!given && !start_simulator(&arena)) {
    lose("the program finds no keplersim to run on: put it on PATH, name it in the variable KEPLERSIM, or start the program with keplersim run");
    return false;
  }
  on_exit(at_exit, nullptr);
  Request q = {OP_HELLO, 0, 0, (uint32_t)sizeof call_names, {(uint64_t)getpid(), KEPLERSIM_NATIVE, asked_connections()}};
  Answer a;
  if (exchange(q, call_names, a, nullptr, 0) != cudaSuccess) return false;
  devices = (int)a.r[0], arena_base = a.r[1], arena_bytes = a.r[2];
  void *at = mmap((void *)arena_base, arena_bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, arena, 0);
  void *other = mmap(nullptr, arena_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, arena, 0);
  if (at != (void *)arena_base || other == MAP_FAILED) {
    lose("the addresses of device memory are taken in this program");
    return false;
  }
  alias = (char *)other;
  arena_file = arena;
  pthread_atfork(nullptr, nullptr, in_child);
  return true;
}

bool send_module(Module *m) {
  if (m->sent) return true;
  Request q = {OP_MODULE, 0, 0, (uint32_t)m->bytes, {(uint64_t)m->number}};
  Answer a;
  m->sent = true;
  return exchange(q, m->image, a, nullptr, 0) == cudaSuccess;
}

// ---- Managed variables: language.h gives them a section, where each begins a page ----

extern "C" char __start_keplersim_managed[], __stop_keplersim_managed[];
__attribute__((section("keplersim_managed"), aligned(4096), used)) char some_variable; // the section is there, whatever the program has
Entry *managed;                                                                        // the variables

bool is_managed(const void *p) { return (const char *)p >= __start_keplersim_managed && (const char *)p < __stop_keplersim_managed; }

// Has the program see the first device's pages of a variable in place of its own, which clang leaves without initial values. What else the
// program has in the last of them, behind the variables, moves along.
bool share_variable(Entry *e) {
  Request q = {OP_SYMBOL, 0, 0, (uint32_t)strlen(e->name), {(uint64_t)e->module->number}};
  Answer a;
  if (exchange(q, e->name, a, nullptr, 0) != cudaSuccess || !a.r[0]) return false;
  char *pages = alias + (a.r[0] - arena_base), *host = (char *)e->host;
  size_t n = (e->bytes + 4095) & ~(size_t)4095;
  memcpy(pages + e->bytes, host + e->bytes, n - e->bytes);
  if (mremap(pages, 0, n, MREMAP_MAYMOVE | MREMAP_FIXED, host) == MAP_FAILED) return false;
  e->address = a.r[0];
  return true;
}

// The device's address of a managed variable that a host address lies in, else what is given.
uint64_t address_of_managed(uint64_t word) {
  if (is_managed((void *)word))
    for (Entry *e = managed; e; e = e->next_managed)
      if (word - (uint64_t)e->host < e->bytes) return e->address + (word - (uint64_t)e->host);
  return word;
}

// Ready connects and hands over the modules. It is called with the lock held.
bool ready() {
  if (!connect_simulator()) return false;
  for (Module *m = modules; m; m = m->next)
    if (!m->sent && !send_module(m)) return false;
  for (Entry *e = managed; e; e = e->next_managed)
    if (!e->address && !share_variable(e)) {
      lose("a __managed__ variable cannot be shared with the device");
      return false;
    }
  return true;
}

cudaError_t finish(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

// Ask is a request about the current device; its answer's error is the thread's last.
bool runtime_used;              // the runtime API was asked for something
thread_local int driver_depth;  // of calls of the driver API under way, which use the runtime's
cudaError_t refused_by_capture(const Request &q);

struct Ask {
  Request q;
  Answer a;
  Ask(Operation operation, Call call, uint64_t a0 = 0, uint64_t a1 = 0, uint64_t a2 = 0, uint64_t a3 = 0, uint64_t a4 = 0, uint64_t a5 = 0, uint64_t a6 = 0,
      uint64_t a7 = 0)
      : q{(uint32_t)operation, (uint32_t)call, (uint32_t)current_device, 0, {a0, a1, a2, a3, a4, a5, a6, a7}}, a{} {}
  cudaError_t quietly(const void *payload = nullptr, size_t bytes = 0, void *data = nullptr, size_t room = 0) {
    q.bytes = (uint32_t)bytes;
    if (q.call != CALL_none && !driver_depth) runtime_used = true;
    if (forked) return unreachable(); // another thread may have held the lock
    if (on_callback_thread() && q.operation != OP_PROGRESS) return cudaErrorNotPermitted; // as CUDA: its calls are not for callbacks
    if (cudaError_t refused = refused_by_capture(q)) return refused;
    pthread_mutex_lock(&lock);
    cudaError_t error = ready() ? exchange(q, payload, a, data, room) : unreachable();
    pthread_mutex_unlock(&lock);
    return error;
  }
  cudaError_t go(const void *payload = nullptr, size_t bytes = 0, void *data = nullptr, size_t room = 0) {
    return finish(quietly(payload, bytes, data, room));
  }
};

// The main thread's sleeps are time in which the devices go on. Other threads sleep beside it.
void tell_of_sleep(const timespec *t) {
  if (connection < 0 || lost || t->tv_sec < 0 || t->tv_nsec < 0 || getpid() != syscall(SYS_gettid)) return;
  Ask(OP_SLEEP, CALL_none, (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec).quietly();
}

int sleep_as_asked(clockid_t clock, int flags, const timespec *t, timespec *left) {
  timespec length = *t;
  if (flags & TIMER_ABSTIME) {
    clock_gettime(clock, &length);
    length = {t->tv_sec - length.tv_sec, t->tv_nsec - length.tv_nsec};
    if (length.tv_nsec < 0) length.tv_sec--, length.tv_nsec += 1000000000;
  }
  tell_of_sleep(&length);
  return syscall(SYS_clock_nanosleep, clock, flags, t, left) == 0 ? 0 : errno;
}

// What is still under way runs to its end when the program ends in good order.
void say_goodbye() {
  if (connection >= 0 && !lost) Ask(OP_GOODBYE, CALL_none).quietly();
}

} // namespace

#include "graph.inc"

namespace {

// The thread of callbacks runs what the simulator calls back for. Where the program is silent and waits for a callback by other means than
// CUDA's, this thread asks the simulator to go on.
void *run_callbacks(void *) {
  uint64_t seen = 0;
  pthread_mutex_lock(&callback_lock);
  for (;;) {
    if (callback_due) {
      uint64_t number = callback_due;
      cudaError_t status = callback_status;
      pthread_mutex_unlock(&callback_lock);
      call_callback(number, status);
      pthread_mutex_lock(&callback_lock);
      callback_due = 0;
      pthread_cond_broadcast(&callback_change);
      continue;
    }
    timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const long silence = 100000000; // ns
    until.tv_nsec += silence, until.tv_sec += until.tv_nsec / 1000000000, until.tv_nsec %= 1000000000;
    bool open = callback_list != nullptr;
    int woken = open ? pthread_cond_timedwait(&callback_change, &callback_lock, &until) : pthread_cond_wait(&callback_change, &callback_lock);
    if (woken != ETIMEDOUT || callback_due) continue;
    bool silent = seen == exchanges;
    seen = exchanges;
    if (!silent) continue;
    pthread_mutex_unlock(&callback_lock);
    Ask(OP_PROGRESS, CALL_none).quietly();
    seen = exchanges;
    pthread_mutex_lock(&callback_lock);
  }
  return nullptr;
}
cudaError_t add_callback(Call call, Callback made) {
  if (Captured *s = capture_of(made.stream)) {
    if (!made.host_call) return finish(cudaErrorStreamCaptureUnsupported); // as CUDA: it is older than graphs
    CUgraphNode_st *n = capture(s, cudaGraphNodeTypeHost);
    if (!n) return finish(cudaErrorStreamCaptureInvalidated);
    n->call = made.host_call, n->data = made.data;
    return cudaSuccess;
  }
  Callback *c = (Callback *)malloc(sizeof *c);
  *c = made;
  pthread_mutex_lock(&callback_lock);
  uint64_t number = c->number = ++callback_number;
  cudaStream_t stream = c->stream;
  c->next = callback_list, callback_list = c;
  if (!callback_thread_runs) callback_thread_runs = pthread_create(&callback_thread, nullptr, run_callbacks, nullptr) == 0;
  pthread_cond_broadcast(&callback_change);
  pthread_mutex_unlock(&callback_lock);
  cudaError_t error = Ask(OP_CALLBACK, call, (uint64_t)stream, number).go();
  if (error != cudaSuccess) free(take_callback(number));
  return error;
}

bool on_device(const void *p) { return (uint64_t)p - arena_base < arena_bytes && arena_bytes; }
char *open_address(const void *p);
// Moves bytes. Much memory of the program's own is written to the file of the shared memory: pages that nobody has touched yet are then neither cleared nor
// mapped first, which takes several times as long as the copy.
void move(void *to, const void *from, size_t n) {
  const size_t much = 1 << 20;
  if (n >= much && on_device(to) && !on_device(from)) {
    uint64_t at = (uint64_t)to - arena_base;
    while (n) {
      ssize_t done = pwrite(arena_file, from, n, (off_t)at);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) break;
      at += (uint64_t)done, to = (char *)to + done, from = (const char *)from + done, n -= (size_t)done;
    }
  }
  if (n) memmove(open_address(to), open_address(from), n);
}

// Open is an address under which the runtime itself may read and write.
char *open_address(const void *p) { return on_device(p) ? alias + ((uint64_t)p - arena_base) : (char *)p; }

// Opens pages of the arena to the program, for pinned and managed memory.
void let_program_use(uint64_t address, size_t n) { mprotect((void *)address, (n + 4095) & ~(size_t)4095, PROT_READ | PROT_WRITE); }
void keep_program_off(uint64_t address, size_t n) { mprotect((void *)address, (n + 4095) & ~(size_t)4095, PROT_NONE); }

// ---- Launches ----

struct Configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};
thread_local Configuration configurations[16];
thread_local int configured;
thread_local char old_arguments[4096];
thread_local size_t old_bytes;

cudaError_t describe(Entry *e, Kernel **out) {
  if (e->kernel) {
    *out = e->kernel;
    return cudaSuccess;
  }
  const size_t room = 65536;
  uint32_t *data = (uint32_t *)malloc(room);
  Ask ask(OP_KERNEL, CALL_none, (uint64_t)e->module->number);
  cudaError_t error = ask.quietly(e->name, strlen(e->name), data, room);
  if (error != cudaSuccess) {
    free(data);
    return error;
  }
  Kernel *k = (Kernel *)calloc(1, sizeof *k);
  k->parameter_bytes = (uint32_t)ask.a.r[0], k->parameters = (uint32_t)ask.a.r[1];
  memcpy(k->attributes, data, sizeof k->attributes);
  k->layout = data + sizeof k->attributes / 4;
  *out = e->kernel = k;
  return cudaSuccess;
}

// A kernel's arguments at their places, from where each lies or from others at their places.
char *packed_arguments(const Kernel *k, void *const *arguments, const char *packed) {
  char *made = (char *)calloc(1, k->parameter_bytes + 1);
  for (uint32_t i = 0; i < k->parameters; i++) {
    uint32_t offset = k->layout[2 * i], size = k->layout[2 * i + 1];
    memcpy(made + offset, arguments ? arguments[i] : packed + offset, size);
  }
  return made;
}
cudaError_t launch_entry(Call call, Entry *e, dim3 grid, dim3 block, size_t shared, cudaStream_t stream, void **arguments, const char *packed) {
  Kernel *k;
  cudaError_t error = describe(e, &k);
  if (error != cudaSuccess) return finish(error);
  if (Captured *c = capture_of(stream)) {
    CUgraphNode_st *n = capture(c, cudaGraphNodeTypeKernel);
    if (!n) return finish(cudaErrorStreamCaptureInvalidated);
    n->kernel = e, n->grid = grid, n->block = block, n->shared = shared, n->packed = packed_arguments(k, arguments, packed);
    return cudaSuccess;
  }
  size_t name = strlen(e->name) + 1;
  char *payload = (char *)calloc(1, name + k->parameter_bytes + 1);
  memcpy(payload, e->name, name);
  for (uint32_t i = 0; i < k->parameters; i++) {
    uint32_t offset = k->layout[2 * i], size = k->layout[2 * i + 1];
    memcpy(payload + name + offset, arguments ? arguments[i] : packed + offset, size);
    if (managed && size == sizeof(uint64_t)) {
      uint64_t word;
      memcpy(&word, payload + name + offset, size);
      word = address_of_managed(word);
      memcpy(payload + name + offset, &word, size);
    }
  }
  Ask ask(OP_LAUNCH, call, (uint64_t)e->module->number, grid.x | (uint64_t)grid.y << 32, grid.z | (uint64_t)block.x << 32, block.y | (uint64_t)block.z << 32,
          shared, (uint64_t)stream, (uint64_t)k->cache_config, (uint64_t)k->shared_config);
  error = ask.go(payload, name + k->parameter_bytes);
  free(payload);
  return error;
}

cudaError_t launch(Call call, const void *host, dim3 grid, dim3 block, size_t shared, cudaStream_t stream, void **arguments, const char *packed) {
  Entry *e = find(host, KERNEL);
  return e ? launch_entry(call, e, grid, block, shared, stream, arguments, packed) : finish(cudaErrorInvalidDeviceFunction);
}

cudaError_t resident_blocks(int *blocks, Entry *e, int block, size_t shared) {
  Ask ask(OP_OCCUPANCY, API(cudaOccupancyMaxActiveBlocksPerMultiprocessor), (uint64_t)e->module->number, (uint64_t)block, shared);
  cudaError_t error = ask.go(e->name, strlen(e->name));
  if (error == cudaSuccess) *blocks = (int)ask.a.r[0];
  return error;
}
// The most shared memory a block with which that many blocks are resident, found by halving.
cudaError_t available_shared(size_t *bytes, Entry *e, int blocks, int block) {
  size_t fits = 0, beyond = 48 * 1024 + 1;
  int resident;
  cudaError_t error = resident_blocks(&resident, e, block, 0);
  if (error == cudaSuccess && resident < blocks) error = finish(cudaErrorInvalidValue);
  while (error == cudaSuccess && fits + 1 < beyond) {
    size_t middle = (fits + beyond) / 2;
    error = resident_blocks(&resident, e, block, middle);
    (resident >= blocks ? fits : beyond) = middle;
  }
  if (error == cudaSuccess) *bytes = fits;
  return error;
}

} // namespace

extern "C" {

// ---- What clang's host code calls ----

struct Wrapper {
  int magic, version;
  const char *data;
  void *unused;
};
void **__cudaRegisterFatBinary(void *wrapper) {
  Module *m = (Module *)calloc(1, sizeof *m);
  m->image = ((Wrapper *)wrapper)->data;
  m->bytes = strtoull(m->image + strlen("keplersim "), nullptr, 10); // the whole image's
  m->number = module_count++;
  m->next = modules, modules = m;
  return (void **)m;
}
void __cudaRegisterFatBinaryEnd(void **) {
  if (!managed) return;
  pthread_mutex_lock(&lock); // the program may touch them before it calls anything
  ready();
  pthread_mutex_unlock(&lock);
}
// An object of linked device code: toolchain/hostpass.go gives all of them this one name.
void __cudaRegisterLinkedBinary(void (*register_globals)(void **), void *wrapper, void *, void (*)(void *)) {
  void **handle = __cudaRegisterFatBinary(wrapper);
  register_globals(handle);
  __cudaRegisterFatBinaryEnd(handle);
}
void __cudaUnregisterFatBinary(void **) {}
void __cudaRegisterFunction(void **handle, const char *host, char *, const char *name, int, void *, void *, void *, void *, int *) {
  add(handle, KERNEL, host, name);
}
void __cudaRegisterVar(void **handle, char *host, char *, const char *name, int, size_t bytes, int constant, int) {
  Entry *e = add(handle, VARIABLE, host, name);
  e->bytes = bytes, e->constant = constant != 0;
  if (is_managed(host)) e->next_managed = managed, managed = e;
}
void __cudaRegisterTexture(void **handle, const textureReference *host, const void **, const char *name, int, int, int) {
  add(handle, TEXTURE, host, name);
}
void __cudaRegisterSurface(void **handle, const surfaceReference *host, const void **, const char *name, int, int) { add(handle, SURFACE, host, name); }

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  if (configured == 16) return 1;
  configurations[configured++] = {grid, block, shared, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  if (!configured) return cudaErrorMissingConfiguration;
  Configuration &c = configurations[--configured];
  *grid = c.grid, *block = c.block, *shared = c.shared, *(cudaStream_t *)stream = c.stream;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream) {
  return launch(API(cudaLaunchKernel), kernel, grid, block, shared, stream, arguments, nullptr);
}
cudaError_t cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t) { // compute capability 6.0 has it
  return finish(cudaErrorNotSupported);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *kernel, void **arguments) {
  if (!c) return finish(cudaErrorInvalidValue);
  for (unsigned int i = 0; i < c->numAttrs; i++) // clusters, cooperation and the like: capabilities 6.0 to 9.0 have them
    if (c->attrs[i].id != cudaLaunchAttributeIgnore) return finish(cudaErrorNotSupported);
  return launch(API(cudaLaunchKernel), kernel, c->gridDim, c->blockDim, c->dynamicSmemBytes, c->stream, arguments, nullptr);
}
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  old_bytes = 0;
  return __cudaPushCallConfiguration(grid, block, shared, stream) ? finish(cudaErrorInvalidConfiguration) : cudaSuccess;
}
cudaError_t cudaSetupArgument(const void *argument, size_t size, size_t offset) {
  if (offset + size > sizeof old_arguments) return finish(cudaErrorInvalidValue);
  memcpy(old_arguments + offset, argument, size);
  return cudaSuccess;
}
cudaError_t cudaLaunch(const void *kernel) {
  if (!configured) return finish(cudaErrorMissingConfiguration);
  Configuration c = configurations[--configured];
  return launch(API(cudaLaunch), kernel, c.grid, c.block, c.shared, c.stream, nullptr, old_arguments);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel) {
  Entry *e = find(kernel, KERNEL);
  if (!e) return finish(cudaErrorInvalidDeviceFunction);
  Kernel *k;
  cudaError_t error = describe(e, &k);
  if (error != cudaSuccess) return finish(error);
  const uint64_t *v = k->attributes;
  memset(attributes, 0, sizeof *attributes);
  attributes->sharedSizeBytes = v[0], attributes->constSizeBytes = v[1], attributes->localSizeBytes = v[2];
  attributes->maxThreadsPerBlock = (int)v[3], attributes->numRegs = (int)v[4], attributes->ptxVersion = (int)v[5], attributes->binaryVersion = (int)v[6];
  attributes->maxDynamicSharedSizeBytes = (int)v[7];
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value) {
  Entry *e = find(kernel, KERNEL);
  if (!e) return finish(cudaErrorInvalidDeviceFunction);
  Kernel *k;
  cudaError_t error = describe(e, &k);
  if (error == cudaSuccess && attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value > (int)k->attributes[7]) error = cudaErrorInvalidValue;
  return finish(error);
}
cudaError_t cudaFuncSetCacheConfig(const void *kernel, cudaFuncCache c) {
  Entry *e = find(kernel, KERNEL);
  if (!e) return finish(cudaErrorInvalidDeviceFunction);
  Kernel *k;
  cudaError_t error = describe(e, &k);
  if (error == cudaSuccess) k->cache_config = 1 + (int)c;
  return finish(error);
}
cudaError_t cudaFuncSetSharedMemConfig(const void *kernel, cudaSharedMemConfig c) {
  Entry *e = find(kernel, KERNEL);
  if (!e) return finish(cudaErrorInvalidDeviceFunction);
  Kernel *k;
  cudaError_t error = describe(e, &k);
  if (error == cudaSuccess) k->shared_config = (int)c;
  return finish(error);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int block, size_t shared) {
  Entry *e = find(kernel, KERNEL);
  return e ? resident_blocks(blocks, e, block, shared) : finish(cudaErrorInvalidDeviceFunction);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel, int block, size_t shared, unsigned int) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, block, shared);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *kernel, int blocks, int block) {
  Entry *e = find(kernel, KERNEL);
  return e ? available_shared(bytes, e, blocks, block) : finish(cudaErrorInvalidDeviceFunction);
}

} // extern "C"

extern "C" {
int clock_nanosleep(clockid_t clock, int flags, const timespec *t, timespec *left) { return sleep_as_asked(clock, flags, t, left); }
int nanosleep(const timespec *t, timespec *left) {
  int error = sleep_as_asked(CLOCK_REALTIME, 0, t, left);
  return error ? (errno = error, -1) : 0;
}
int usleep(useconds_t us) {
  timespec t = {us / 1000000, (long)(us % 1000000) * 1000};
  return nanosleep(&t, nullptr);
}
unsigned sleep(unsigned seconds) {
  timespec t = {(time_t)seconds, 0}, left = {0, 0};
  return nanosleep(&t, &left) ? (unsigned)left.tv_sec + (left.tv_nsec > 0) : 0;
}
}

// Host functions of CUDA that programs declare themselves: a declaration hides the template of the headers. Programs link without libm.
__attribute__((weak)) float rsqrtf(float x) { return 1.0f / _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x))); }
__attribute__((weak)) double rsqrt(double x) { return 1.0 / _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(x))); }

#include "cudart_device.inc"
#include "cudart_memory.inc"
#include "cudart_stream.inc"
#include "cudart_texture.inc"
#include "cudart_graphs.inc"
#include "cudart_graph_nodes.inc"
#include "cudart_unsupported.inc"
#include "driver.inc"
#include "nvml.inc"
