// NVRTC: a program is written to a folder of its own, with the headers that it brings, and `keplersim nvcc -ptx` compiles it there. What an
// expression is called in PTX, the PTX says itself: a variable at the source's end has its address.
#include <errno.h>
#include <fcntl.h>
#include <nvrtc.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace {

// A text that grows; always ends with a NUL.
struct Text {
  char *bytes;
  size_t count;
};
void append(Text *t, const char *s, size_t n) {
  t->bytes = (char *)realloc(t->bytes, t->count + n + 1);
  memcpy(t->bytes + t->count, s, n), t->count += n, t->bytes[t->count] = 0;
}
void append(Text *t, const char *s) { append(t, s, strlen(s)); }
void drop(Text *t) { free(t->bytes), *t = {}; }

struct Header {
  char *name, *content;
};
struct Expression {
  char *text, *lowered;
};
const char marker[] = "__keplersim_nvrtc_name_";

} // namespace

struct _nvrtcProgram {
  char *source;
  Header *headers;
  int header_count;
  Expression *expressions;
  int expression_count;
  bool compiled, real; // real: for a real architecture, which has machine code
  Text beside; // -I and the folder in the source's name, whose headers it includes
  Text ptx, log;
};

namespace {

// The path of a file in the folder: names of headers are relative and stay below it.
bool path_of(const char *folder, const char *name, char *path, size_t room) {
  if (*name == '/' || strstr(name, "..") || (size_t)snprintf(path, room, "%s/%s", folder, name) >= room) return false;
  for (char *at = path + strlen(folder) + 1; (at = strchr(at, '/')); at++) {
    *at = 0, mkdir(path, 0700), *at = '/';
  }
  return true;
}
bool write_file(const char *folder, const char *name, const char *content, size_t n) {
  char path[4096];
  FILE *f = path_of(folder, name, path, sizeof path) ? fopen(path, "w") : nullptr;
  return f && (fwrite(content, 1, n, f) == n) & (fclose(f) == 0);
}
bool read_file(const char *folder, const char *name, Text *into) {
  char path[4096], part[65536];
  FILE *f = path_of(folder, name, path, sizeof path) ? fopen(path, "r") : nullptr;
  if (!f) return false;
  for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;) append(into, part, n);
  return fclose(f) == 0;
}
// Runs a command with its standard error in a file, and tells whether it succeeded.
bool succeeds(char **arguments, const char *errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (errors) {
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 2, 1);
  }
  pid_t child;
  int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments, environ), status = -1;
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return false;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return status == 0;
}

// The options of CUDA 11.8's NVRTC. Values follow after '=' or as the next option, and those of a single letter also at once.
struct Option {
  const char *name, *shorter;
  bool value;
  const char *of_nvcc; // what nvcc gets; null for what makes no difference here
};
const Option known_options[] = {
  {"gpu-architecture", "arch", true, "-arch="}, {"device-c", "dc", false, "-rdc=true"}, {"device-w", "dw", false, nullptr},
  {"relocatable-device-code", "rdc", true, "-rdc="}, {"extensible-whole-program", "ewp", false, nullptr}, {"device-debug", "G", false, "-G"},
  {"generate-line-info", "lineinfo", false, "-lineinfo"}, {"dopt", "dopt", true, nullptr}, {"ptxas-options", "Xptxas", true, "--ptxas-options="},
  {"maxrregcount", "maxrregcount", true, "-maxrregcount="}, {"ftz", "ftz", true, "-ftz="}, {"prec-sqrt", "prec-sqrt", true, "-prec-sqrt="},
  {"prec-div", "prec-div", true, "-prec-div="}, {"fmad", "fmad", true, "-fmad="}, {"use_fast_math", "use_fast_math", false, "-use_fast_math"},
  {"extra-device-vectorization", "extra-device-vectorization", false, nullptr}, {"modify-stack-limit", "modify-stack-limit", true, nullptr},
  {"dlink-time-opt", "dlto", false, nullptr}, {"gen-opt-lto", "gen-opt-lto", false, nullptr}, {"define-macro", "D", true, "-D"},
  {"undefine-macro", "U", true, "-U"}, {"include-path", "I", true, "-I"}, {"pre-include", "include", true, "--pre-include="},
  {"no-source-include", "no-source-include", false, nullptr}, {"std", "std", true, "-std="}, {"builtin-move-forward", "builtin-move-forward", true, nullptr},
  {"builtin-initializer-list", "builtin-initializer-list", true, nullptr}, {"disable-warnings", "w", false, nullptr},
  {"restrict", "restrict", false, nullptr}, {"device-as-default-execution-space", "default-device", false, nullptr},
  {"device-int128", "device-int128", false, nullptr}, {"optimization-info", "opt-info", true, nullptr}, {"version-ident", "dQ", true, nullptr},
  {"display-error-number", "err-no", false, nullptr}, {"no-display-error-number", "no-err-no", false, nullptr},
  {"diag-error", "diag-error", true, nullptr}, {"diag-suppress", "diag-suppress", true, nullptr}, {"diag-warn", "diag-warn", true, nullptr},
};
const int archs[] = {35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90}; // of CUDA 11.8's compiler

// Finds the option that a word begins with, and the value in the same word, or null.
const Option *find_option(const char *word, const char **value) {
  if (*word != '-') return nullptr;
  const char *name = word + (word[1] == '-' ? 2 : 1), *equals = strchr(name, '=');
  size_t n = equals ? (size_t)(equals - name) : strlen(name);
  for (const Option &o : known_options) {
    const char *both[] = {o.name, o.shorter};
    for (const char *each : both)
      if (strlen(each) == n && !strncmp(name, each, n)) return *value = equals ? equals + 1 : nullptr, &o;
  }
  for (const Option &o : known_options)
    if (o.value && !o.shorter[1] && word[1] == o.shorter[0]) return *value = word + 2 + strspn(word + 2, " ="), &o;
  return nullptr;
}
// Whether an architecture is one that the compiler knows, or an older Kepler.
bool known_architecture(const char *value) {
  int number = strncmp(value, "compute_", 8) == 0 ? atoi(value + 8) : strncmp(value, "sm_", 3) == 0 ? atoi(value + 3) : 0;
  bool known = number == 30 || number == 32;
  for (int a : archs) known = known || a == number;
  return known;
}
// The options as nvcc takes them. Tells in the log which one is wrong.
bool options_of_nvcc(_nvrtcProgram *p, int count, const char *const *options, char **out, int *n) {
  for (int i = 0; i < count; i++) {
    const char *value = nullptr, *word = options[i];
    const Option *o = word ? find_option(word, &value) : nullptr;
    if (o && o->value && !value && i + 1 < count) value = options[++i];
    bool is_arch = o == known_options;
    if (!o || o->value != (value != nullptr) || (is_arch && !known_architecture(value))) {
      append(&p->log, o ? "nvrtc: error: invalid value for " : "nvrtc: error: unrecognized option ");
      append(&p->log, o ? "--" : ""), append(&p->log, o ? o->name : word ? word : "null"), append(&p->log, o ? "\n" : " found\n");
      return false;
    }
    if (is_arch) p->real = *value == 's';
    if (!o->of_nvcc) continue;
    Text made = {};
    append(&made, o->of_nvcc), append(&made, value ? value : "");
    out[(*n)++] = made.bytes;
  }
  return true;
}

void find_lowered(_nvrtcProgram *p) {
  for (int i = 0; i < p->expression_count; i++) {
    char name[64];
    snprintf(name, sizeof name, "%s%d = ", marker, i);
    char *at = p->ptx.bytes ? strstr(p->ptx.bytes, name) : nullptr;
    if (!at) continue;
    at += strlen(name);
    if (!strncmp(at, "generic(", 8)) at += 8;
    free(p->expressions[i].lowered);
    p->expressions[i].lowered = strndup(at, strcspn(at, ");\n+"));
  }
  // The variables have done their work.
  for (char *at = p->ptx.bytes; at && (at = strstr(at, marker));) {
    char *line = at, *end = strchr(at, '\n');
    while (line > p->ptx.bytes && line[-1] != '\n') line--;
    if (!end) break;
    memmove(line, end + 1, strlen(end + 1) + 1), p->ptx.count -= (size_t)(end + 1 - line), at = line;
  }
}

nvrtcResult compile(_nvrtcProgram *p, const char *folder, int count, const char *const *options) {
  Text source = {};
  append(&source, p->source);
  for (int i = 0; i < p->expression_count; i++) {
    char head[128];
    snprintf(head, sizeof head, "\n__attribute__((used)) __device__ const void *const %s%d = (const void *)(", marker, i);
    append(&source, head), append(&source, p->expressions[i].text), append(&source, ");");
  }
  bool written = write_file(folder, "program.cu", source.bytes, source.count);
  drop(&source);
  for (int i = 0; i < p->header_count && written; i++)
    written = write_file(folder, p->headers[i].name, p->headers[i].content, strlen(p->headers[i].content));
  if (!written) {
    append(&p->log, "the program or one of its headers could not be written to a temporary folder\n");
    return NVRTC_ERROR_COMPILATION;
  }
  char in[4096], out[4096], errors[4096], include[4096];
  path_of(folder, "program.cu", in, sizeof in), path_of(folder, "program.ptx", out, sizeof out), path_of(folder, "log", errors, sizeof errors);
  snprintf(include, sizeof include, "-I%s", folder);
  const char *own = getenv("KEPLERSIM");
  char **arguments = (char **)calloc((size_t)count + 12, sizeof *arguments);
  int n = 0;
  for (const char *word : {own && *own ? own : "keplersim", "nvcc", "-ptx", "-Xcompiler", "-w", (const char *)include}) arguments[n++] = (char *)word;
  int own_words = n;
  if (!options_of_nvcc(p, count, options, arguments, &n)) return free(arguments), NVRTC_ERROR_INVALID_OPTION;
  int given = n;
  for (const char *word : {(const char *)p->beside.bytes, "-o", (const char *)out, (const char *)in}) arguments[n++] = (char *)word;
  bool made = succeeds(arguments, errors);
  while (given > own_words) free(arguments[--given]);
  free(arguments);
  read_file(folder, "log", &p->log);
  if (!made || !read_file(folder, "program.ptx", &p->ptx)) {
    if (!p->log.count) append(&p->log, "keplersim could not be run: put it on PATH, or name it in the variable KEPLERSIM\n");
    return NVRTC_ERROR_COMPILATION;
  }
  find_lowered(p);
  return NVRTC_SUCCESS;
}

nvrtcResult tell(const _nvrtcProgram *p, Text _nvrtcProgram::*text, size_t *bytes, char *into) {
  if (!p || (!bytes && !into)) return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
  const Text &t = p->*text;
  if (bytes) *bytes = t.count + 1;
  if (into) memcpy(into, t.bytes ? t.bytes : "", t.count + 1);
  return NVRTC_SUCCESS;
}

} // namespace

extern "C" {

const char *nvrtcGetErrorString(nvrtcResult r) {
  static const char *const names[] = {
    "NVRTC_SUCCESS", "NVRTC_ERROR_OUT_OF_MEMORY", "NVRTC_ERROR_PROGRAM_CREATION_FAILURE", "NVRTC_ERROR_INVALID_INPUT",
    "NVRTC_ERROR_INVALID_PROGRAM", "NVRTC_ERROR_INVALID_OPTION", "NVRTC_ERROR_COMPILATION", "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
    "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION", "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
    "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID", "NVRTC_ERROR_INTERNAL_ERROR"};
  return (unsigned)r < sizeof names / sizeof *names ? names[r] : "NVRTC_ERROR unknown";
}
nvrtcResult nvrtcVersion(int *major, int *minor) {
  if (!major || !minor) return NVRTC_ERROR_INVALID_INPUT;
  *major = 11, *minor = 8;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetNumSupportedArchs(int *count) {
  if (!count) return NVRTC_ERROR_INVALID_INPUT;
  *count = sizeof archs / sizeof *archs;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int *out) {
  if (!out) return NVRTC_ERROR_INVALID_INPUT;
  memcpy(out, archs, sizeof archs);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int headers, const char *const *contents,
                               const char *const *names) {
  if (!program || !source || headers < 0 || (headers && (!contents || !names))) return NVRTC_ERROR_INVALID_INPUT;
  _nvrtcProgram *p = (_nvrtcProgram *)calloc(1, sizeof *p);
  const char *slash = name ? strrchr(name, '/') : nullptr;
  p->source = strdup(source);
  append(&p->beside, "-I"), slash ? append(&p->beside, name, (size_t)(slash - name + 1)) : append(&p->beside, ".");
  p->headers = (Header *)calloc((size_t)headers + 1, sizeof *p->headers), p->header_count = headers;
  for (int i = 0; i < headers; i++) p->headers[i] = {strdup(names[i]), strdup(contents[i])};
  *program = p;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program) {
  if (!program || !*program) return NVRTC_ERROR_INVALID_PROGRAM;
  _nvrtcProgram *p = *program;
  for (int i = 0; i < p->header_count; i++) free(p->headers[i].name), free(p->headers[i].content);
  for (int i = 0; i < p->expression_count; i++) free(p->expressions[i].text), free(p->expressions[i].lowered);
  drop(&p->beside), drop(&p->ptx), drop(&p->log);
  free(p->source), free(p->headers), free(p->expressions), free(p);
  *program = nullptr;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int count, const char *const *options) {
  if (!p) return NVRTC_ERROR_INVALID_PROGRAM;
  if (count < 0 || (count && !options)) return NVRTC_ERROR_INVALID_INPUT;
  drop(&p->ptx), drop(&p->log), p->compiled = true, p->real = false;
  const char *temporary = getenv("TMPDIR");
  char folder[1024];
  snprintf(folder, sizeof folder, "%s/keplersim-nvrtc-XXXXXX", temporary && *temporary ? temporary : "/tmp");
  if (!mkdtemp(folder)) {
    append(&p->log, "no temporary folder could be made: set TMPDIR to one that can be written\n");
    return NVRTC_ERROR_COMPILATION;
  }
  nvrtcResult r = compile(p, folder, count, options);
  char *remove[] = {(char *)"rm", (char *)"-rf", folder, nullptr};
  succeeds(remove, nullptr);
  return r;
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *bytes) { return tell(p, &_nvrtcProgram::ptx, bytes, nullptr); }
nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *ptx) { return tell(p, &_nvrtcProgram::ptx, nullptr, ptx); }
// The code for a real architecture is PTX, too: the loader makes machine code of it.
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *bytes) {
  nvrtcResult r = tell(p, &_nvrtcProgram::ptx, bytes, nullptr);
  if (r == NVRTC_SUCCESS && !p->real) *bytes = 0;
  return r;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *code) {
  return p && !p->real ? NVRTC_ERROR_INVALID_PROGRAM : tell(p, &_nvrtcProgram::ptx, nullptr, code);
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *bytes) { return tell(p, &_nvrtcProgram::log, bytes, nullptr); }
nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *log) { return tell(p, &_nvrtcProgram::log, nullptr, log); }
nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *expression) {
  if (!p || !expression) return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
  if (p->compiled) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  p->expressions = (Expression *)realloc(p->expressions, (size_t)(p->expression_count + 1) * sizeof *p->expressions);
  p->expressions[p->expression_count++] = {strdup(expression), nullptr};
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *expression, const char **lowered) {
  if (!p || !expression || !lowered) return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
  if (!p->compiled) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  for (int i = 0; i < p->expression_count; i++)
    if (!strcmp(p->expressions[i].text, expression) && p->expressions[i].lowered) return *lowered = p->expressions[i].lowered, NVRTC_SUCCESS;
  return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

} // extern "C"
