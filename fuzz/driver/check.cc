// Runs the programs of expected.txt on a GPU, through the driver's compiler, and compares hashes of what their threads store.
//
//     g++ -O2 -o check check.cc -ldl && ./check [-O LEVEL] [PROCESSES]
//
// It prints a line for each program that differs (its output goes to out/SEED.bin), is refused, or does not end, and a count of each kind.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

enum { threads = 64, input_bytes = 4 * 16 * threads, output_bytes = 4 * 36 * threads, patience = 20 /* seconds */ };

struct Program {
  std::string seed, kind;
  uint64_t hash;
};
enum Outcome : char { Waiting, Same, Differs, Refused, Endless };
const char *const outcomes[] = {"was not run", "same", "differs", "refused", "does not end"};

static void *library;
template <typename... A> int call(const char *name, A... arguments) {
  auto f = (int (*)(A...))dlsym(library, name);
  return f ? f(arguments...) : 999;
}

static std::string read_file(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

static Outcome run(const Program &p, uint64_t in, uint64_t out, int level) {
  std::string text = read_file("ptx/" + p.seed + ".ptx");
  void *module, *function;
  int option = 7; // CU_JIT_OPTIMIZATION_LEVEL
  void *value = (void *)(uintptr_t)level;
  if (int e = call("cuModuleLoadDataEx", &module, (const void *)text.c_str(), 1u, &option, &value)) {
    printf("%s %s: refused with error %d\n", p.seed.c_str(), p.kind.c_str(), e);
    return Refused;
  }
  call("cuModuleGetFunction", &function, module, "random");
  call("cuMemsetD8_v2", out, (unsigned char)0, (size_t)output_bytes);
  void *arguments[] = {&in, &out};
  int e = call("cuLaunchKernel", function, 1u, 1u, 1u, (unsigned)threads, 1u, 1u, 0u, (void *)nullptr, arguments, (void **)nullptr);
  std::vector<unsigned char> result(output_bytes);
  if (!e) e = call("cuCtxSynchronize");
  if (!e) e = call("cuMemcpyDtoH_v2", (void *)result.data(), out, result.size());
  if (e) {
    printf("%s %s: error %d\n", p.seed.c_str(), p.kind.c_str(), e);
    fflush(stdout);
    return Differs;
  }
  call("cuModuleUnload", module);
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char c : result) hash = (hash ^ c) * 0x100000001b3u;
  if (hash == p.hash) return Same;
  printf("%s %s: differs\n", p.seed.c_str(), p.kind.c_str());
  std::ofstream("out/" + p.seed + ".bin", std::ios::binary).write((const char *)result.data(), result.size());
  return Differs;
}

// Runs the programs whose turn it is, from where an earlier process of this number ended.
static void work(const std::vector<Program> &all, Outcome *done, int number, int processes, int level) {
  int device;
  void *context;
  uint64_t in, out;
  std::string input = read_file("in.bin");
  if (!(library = dlopen("libcuda.so.1", RTLD_NOW)) || call("cuInit", 0u) || call("cuDeviceGet", &device, 0) ||
      call("cuDevicePrimaryCtxRetain", &context, device) || call("cuCtxSetCurrent", context) || call("cuMemAlloc_v2", &in, (size_t)input_bytes) ||
      call("cuMemAlloc_v2", &out, (size_t)output_bytes) || call("cuMemcpyHtoD_v2", in, (const void *)input.data(), (size_t)input_bytes)) {
    fprintf(stderr, "there is no GPU here\n");
    _exit(1);
  }
  for (size_t i = number; i < all.size(); i += processes) {
    if (done[i] != Waiting) continue;
    done[i] = Endless; // so it stays if the alarm ends this process
    alarm(patience);
    done[i] = run(all[i], in, out, level);
    fflush(stdout);
    if (done[i] == Differs && access(("out/" + all[i].seed + ".bin").c_str(), F_OK)) _exit(2); // an error of the kernel ends the context
  }
  _exit(0);
}

int main(int count, char **arguments) {
  int level = 4, processes = 8;
  for (int i = 1; i < count; i++) {
    if (!strcmp(arguments[i], "-O") && i + 1 < count) level = atoi(arguments[++i]);
    else processes = atoi(arguments[i]);
  }
  std::vector<Program> all;
  std::ifstream list("expected.txt");
  for (Program p; list >> p.seed >> p.kind >> std::hex >> p.hash >> std::dec;) all.push_back(p);
  mkdir("out", 0777);
  Outcome *done = (Outcome *)mmap(nullptr, all.size() + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  std::map<pid_t, int> running;
  auto start = [&](int number) {
    fflush(stdout);
    pid_t p = fork();
    if (p == 0) work(all, done, number, processes, level);
    running[p] = number;
  };
  for (int n = 0; n < processes; n++) start(n);
  bool failed = false;
  while (!running.empty()) {
    int status;
    pid_t p = wait(&status);
    int number = running[p];
    running.erase(p);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1) failed = true;
    else if (!WIFEXITED(status) || WEXITSTATUS(status) == 2) start(number);
  }
  std::map<std::string, std::map<char, int>> counts;
  for (size_t i = 0; i < all.size(); i++) {
    counts[all[i].kind][done[i]]++;
    if (done[i] == Endless) printf("%s %s: does not end\n", all[i].seed.c_str(), all[i].kind.c_str());
    failed |= done[i] != Same;
  }
  for (auto &kind : counts)
    for (auto &o : kind.second) printf("%s: %d %s\n", kind.first.c_str(), o.second, outcomes[(int)o.first]);
  return failed;
}
