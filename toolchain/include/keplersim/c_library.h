// Declarations of the C library that host parts of programs use. As none of it runs, none of it is defined.
#pragma once

extern "C" {
struct _IO_FILE;
typedef struct _IO_FILE FILE;
extern FILE *stdin, *stdout, *stderr;
int fprintf(FILE *f, const char *format, ...);
int sprintf(char *to, const char *format, ...);
int snprintf(char *to, size_t n, const char *format, ...);
int scanf(const char *format, ...);
int fscanf(FILE *f, const char *format, ...);
int sscanf(const char *s, const char *format, ...);
int puts(const char *s);
int fputs(const char *s, FILE *f);
char *fgets(char *to, int n, FILE *f);
int putchar(int c);
int getchar();
int fgetc(FILE *f);
int fputc(int c, FILE *f);
int getc(FILE *f);
FILE *fopen(const char *path, const char *mode);
int fclose(FILE *f);
size_t fread(void *to, size_t size, size_t n, FILE *f);
size_t fwrite(const void *from, size_t size, size_t n, FILE *f);
int fseek(FILE *f, long offset, int whence);
long ftell(FILE *f);
void rewind(FILE *f);
int feof(FILE *f);
int ferror(FILE *f);
int fflush(FILE *f);
int remove(const char *path);
void perror(const char *s);

void exit(int status) __attribute__((noreturn));
void abort() __attribute__((noreturn));
int atexit(void (*f)());
void *calloc(size_t n, size_t size);
void *realloc(void *p, size_t n);
void *aligned_alloc(size_t alignment, size_t n);
int posix_memalign(void **p, size_t alignment, size_t n);
int atoi(const char *s);
long atol(const char *s);
long long atoll(const char *s);
double atof(const char *s);
long strtol(const char *s, char **end, int base);
unsigned long strtoul(const char *s, char **end, int base);
long long strtoll(const char *s, char **end, int base);
unsigned long long strtoull(const char *s, char **end, int base);
double strtod(const char *s, char **end);
float strtof(const char *s, char **end);
int rand();
void srand(unsigned int seed);
int rand_r(unsigned int *seed);
long random();
void srandom(unsigned int seed);
double drand48();
long lrand48();
void srand48(long seed);
void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *));
char *getenv(const char *name);
int system(const char *command);

int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
int strcasecmp(const char *a, const char *b);
size_t strlen(const char *s);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t n);
char *strcat(char *to, const char *from);
char *strchr(const char *s, int c);
char *strrchr(const char *s, int c);
char *strstr(const char *s, const char *t);
char *strdup(const char *s);
char *strtok(char *s, const char *separators);
char *strerror(int error);
int isdigit(int c);
int isspace(int c);
int isalpha(int c);
int isalnum(int c);
int toupper(int c);
int tolower(int c);

typedef long time_t;
typedef long clock_t;
typedef long suseconds_t;
typedef long ssize_t;
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
struct timespec { time_t tv_sec; long tv_nsec; };
struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; };
time_t time(time_t *t);
double difftime(time_t a, time_t b);
struct tm *localtime(const time_t *t);
char *ctime(const time_t *t);
int clock_gettime(int clock, struct timespec *t);
int gettimeofday(struct timeval *t, void *zone);
unsigned int sleep(unsigned int seconds);
int usleep(unsigned int microseconds);
extern char *optarg;
extern int optind, opterr, optopt;
int getopt(int argc, char *const argv[], const char *options);
int *__errno_location();
}
__host__ clock_t clock(); // beside the device's
__host__ __device__ int memcmp(const void *a, const void *b, size_t n);
__KS_FN void *memmove(void *to, const void *from, size_t n) { return __builtin_memmove(to, from, n); }

enum { EXIT_SUCCESS = 0, EXIT_FAILURE = 1, RAND_MAX = 2147483647 };
enum { SEEK_SET, SEEK_CUR, SEEK_END };
enum { CLOCK_REALTIME, CLOCK_MONOTONIC };
#define CLOCKS_PER_SEC 1000000l
#define EOF (-1)
#define errno (*__errno_location())
