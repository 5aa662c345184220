// Declarations of the C++ library that host parts of programs use: strings, vectors, streams, clocks, random numbers. As
// none of it runs, none of it does anything: declarations let main() be parsed, and those that take a lambda, whose type has
// no linkage, need a body, which is empty.
#pragma once

namespace std {
template <typename T> class allocator {};

class string {
 public:
  static constexpr size_t npos = (size_t)-1;
  string();
  string(const char *s);
  string(size_t n, char c);
  string(const char *first, const char *last);
  const char *c_str() const;
  const char *data() const;
  size_t size() const;
  size_t length() const;
  bool empty() const;
  char &operator[](size_t i);
  char operator[](size_t i) const;
  string &operator+=(const string &s);
  string &operator+=(char c);
  string substr(size_t from, size_t n = npos) const;
  size_t find(const string &s, size_t from = 0) const;
  size_t rfind(const string &s, size_t from = npos) const;
  void push_back(char c);
  void append(const string &s);
  void resize(size_t n);
  void clear();
  int compare(const string &s) const;
  char *begin();
  char *end();
};
string operator+(const string &a, const string &b);
bool operator==(const string &a, const string &b);
bool operator!=(const string &a, const string &b);
bool operator<(const string &a, const string &b);
template <typename T> string to_string(T v);
int stoi(const string &s, size_t *end = nullptr, int base = 10);
long stol(const string &s, size_t *end = nullptr, int base = 10);
unsigned long stoul(const string &s, size_t *end = nullptr, int base = 10);
float stof(const string &s, size_t *end = nullptr);
double stod(const string &s, size_t *end = nullptr);

template <typename T, typename A = allocator<T>> class vector {
 public:
  typedef T value_type;
  typedef T *iterator;
  typedef const T *const_iterator;
  vector();
  explicit vector(size_t n);
  vector(size_t n, const T &v);
  vector(initializer_list<T> values);
  template <typename I> vector(I first, I last);
  T *data();
  const T *data() const;
  size_t size() const;
  size_t capacity() const;
  bool empty() const;
  T &operator[](size_t i);
  const T &operator[](size_t i) const;
  T &at(size_t i);
  T &front();
  T &back();
  T *begin();
  T *end();
  const T *begin() const;
  const T *end() const;
  const T *cbegin() const;
  const T *cend() const;
  void push_back(const T &v);
  template <typename... X> T &emplace_back(X &&...x);
  void pop_back();
  void resize(size_t n);
  void resize(size_t n, const T &v);
  void reserve(size_t n);
  void assign(size_t n, const T &v);
  void clear();
  T *insert(const T *at, const T &v);
  T *erase(const T *at);
};
template <typename T> bool operator==(const vector<T> &a, const vector<T> &b);
template <typename T> bool operator!=(const vector<T> &a, const vector<T> &b);

template <typename K, typename V> class map {
 public:
  typedef pair<const K, V> value_type;
  V &operator[](const K &k);
  size_t size() const;
  size_t count(const K &k) const;
  value_type *find(const K &k);
  value_type *begin();
  value_type *end();
};
template <typename K, typename V> class unordered_map : public map<K, V> {};
template <typename T> class set {
 public:
  void insert(const T &v);
  size_t size() const;
  size_t count(const T &v) const;
  const T *begin() const;
  const T *end() const;
};
template <typename T> class unique_ptr {
 public:
  unique_ptr();
  explicit unique_ptr(T *p);
  T *get() const;
  T &operator*() const;
  T *operator->() const;
  explicit operator bool() const;
};
template <typename T> class unique_ptr<T[]> {
 public:
  explicit unique_ptr(T *p);
  T *get() const;
  T &operator[](size_t i) const;
};
template <typename T> class shared_ptr : public unique_ptr<T> {};
template <typename T, typename... A> unique_ptr<T> make_unique(A &&...a);
template <typename T, typename... A> shared_ptr<T> make_shared(A &&...a);
template <typename F> class function;
template <typename R, typename... A> class function<R(A...)> {
 public:
  template <typename F> function(F) {}
  R operator()(A... a) const;
};
template <typename T = void> struct less {};
template <typename T = void> struct greater {};
template <typename T = void> struct plus {};
template <typename T = void> struct multiplies {};

class ios_base {
 public:
  enum openmode { in = 1, out = 2, binary = 4, app = 8, trunc = 16 };
  enum fmtflags {};
  static bool sync_with_stdio(bool on = true);
};
inline ios_base::openmode operator|(ios_base::openmode a, ios_base::openmode b);
typedef ios_base ios;
typedef long streamsize;
class ostream : public ios_base {
 public:
  template <typename T> ostream &operator<<(const T &v);
  ostream &operator<<(ostream &(*manipulator)(ostream &));
  ostream &operator<<(ios_base &(*manipulator)(ios_base &));
  ostream &write(const char *s, streamsize n);
  ostream &flush();
  streamsize precision(streamsize n);
  streamsize width(streamsize n);
};
class istream : public ios_base {
 public:
  template <typename T> istream &operator>>(T &v);
  istream &read(char *s, streamsize n);
  istream &getline(char *s, streamsize n);
  int get();
  bool eof() const;
  bool good() const;
  bool fail() const;
  explicit operator bool() const;
};
istream &getline(istream &from, string &into);
class ofstream : public ostream {
 public:
  ofstream();
  explicit ofstream(const string &path, openmode mode = out);
  void open(const string &path, openmode mode = out);
  void close();
  bool is_open() const;
  bool operator!() const;
};
class ifstream : public istream {
 public:
  ifstream();
  explicit ifstream(const string &path, openmode mode = in);
  void open(const string &path, openmode mode = in);
  void close();
  bool is_open() const;
  bool operator!() const;
};
class stringstream : public ostream, public istream {
 public:
  stringstream();
  explicit stringstream(const string &s);
  string str() const;
};
class ostringstream : public ostream {
 public:
  string str() const;
};
class istringstream : public istream {
 public:
  explicit istringstream(const string &s);
};
extern ostream cout, cerr, clog;
extern istream cin;
ostream &endl(ostream &s);
ostream &flush(ostream &s);
ios_base &fixed(ios_base &s);
ios_base &scientific(ios_base &s);
ios_base &hex(ios_base &s);
ios_base &dec(ios_base &s);
ios_base &boolalpha(ios_base &s);
ios_base &left(ios_base &s);
ios_base &right(ios_base &s);
struct __ks_manipulator {};
__ks_manipulator setw(int n);
__ks_manipulator setprecision(int n);
__ks_manipulator setfill(char c);

template <typename I> void sort(I first, I last);
template <typename I, typename L> void sort(I, I, L) {}
template <typename I, typename L> void stable_sort(I, I, L) {}
template <typename I> bool is_sorted(I first, I last);
template <typename I, typename T> void fill(I first, I last, const T &v);
template <typename I, typename T> I fill_n(I first, size_t n, const T &v);
template <typename I, typename G> void generate(I, I, G) {}
template <typename I, typename O> O copy(I first, I last, O to);
template <typename I, typename O> O copy_n(I first, size_t n, O to);
template <typename I, typename J> bool equal(I first, I last, J other);
template <typename I> void reverse(I first, I last);
template <typename I, typename G> void shuffle(I, I, G &&) {}
template <typename I> void random_shuffle(I first, I last);
template <typename I, typename F> bool any_of(I, I, F) { return false; }
template <typename I, typename F> bool all_of(I, I, F) { return false; }
template <typename I, typename F> I find_if(I first, I, F) { return first; }
template <typename I> I max_element(I first, I last);
template <typename I> I min_element(I first, I last);
template <typename I, typename T> I find(I first, I last, const T &v);
template <typename I, typename J, typename O, typename F> O transform(I, I, J, O to, F) { return to; }
template <typename I, typename O, typename F> O transform(I, I, O to, F) { return to; }
template <typename I, typename F> F for_each(I, I, F f) { return f; }
template <typename I, typename T> void iota(I first, I last, T v);
template <typename I, typename T> T accumulate(I first, I last, T v);
template <typename I, typename T, typename F> T accumulate(I, I, T v, F) { return v; }
template <typename I, typename J, typename T> T inner_product(I first, I last, J other, T v);
template <typename I, typename O> O partial_sum(I first, I last, O to);
template <typename I> auto begin(I &c) -> decltype(c.begin());
template <typename I> auto end(I &c) -> decltype(c.end());
template <typename T, size_t N> T *begin(T (&a)[N]);
template <typename T, size_t N> T *end(T (&a)[N]);

template <long N, long D = 1> struct ratio {};
typedef ratio<1, 1000> milli;
typedef ratio<1, 1000000> micro;
typedef ratio<1, 1000000000> nano;
namespace chrono {
template <typename R, typename P = ratio<1>> class duration {
 public:
  duration();
  template <typename R2, typename P2> duration(const duration<R2, P2> &d);
  R count() const;
};
typedef duration<long, nano> nanoseconds;
typedef duration<long, micro> microseconds;
typedef duration<long, milli> milliseconds;
typedef duration<long> seconds;
template <typename C> class time_point {
 public:
  nanoseconds time_since_epoch() const;
};
template <typename C> nanoseconds operator-(const time_point<C> &a, const time_point<C> &b);
template <typename To, typename R, typename P> To duration_cast(const duration<R, P> &d);
struct system_clock {
  typedef chrono::time_point<system_clock> time_point;
  static time_point now();
};
struct steady_clock {
  typedef chrono::time_point<steady_clock> time_point;
  static time_point now();
};
typedef steady_clock high_resolution_clock;
} // namespace chrono

class mt19937 {
 public:
  typedef unsigned int result_type;
  explicit mt19937(unsigned int seed = 5489u);
  unsigned int operator()();
};
typedef mt19937 default_random_engine;
typedef mt19937 mt19937_64;
class random_device {
 public:
  unsigned int operator()();
};
template <typename T> class __ks_distribution {
 public:
  __ks_distribution();
  explicit __ks_distribution(T a);
  __ks_distribution(T a, T b);
  template <typename G> T operator()(G &g);
};
template <typename T = double> class uniform_real_distribution : public __ks_distribution<T> { using __ks_distribution<T>::__ks_distribution; };
template <typename T = int> class uniform_int_distribution : public __ks_distribution<T> { using __ks_distribution<T>::__ks_distribution; };
template <typename T = double> class normal_distribution : public __ks_distribution<T> { using __ks_distribution<T>::__ks_distribution; };

class exception {
 public:
  virtual const char *what() const noexcept;
};
class runtime_error : public exception {
 public:
  explicit runtime_error(const string &what);
};
class invalid_argument : public exception {
 public:
  explicit invalid_argument(const string &what);
};

using ::abort;
using ::atof;
using ::atoi;
using ::calloc;
using ::exit;
using ::fclose;
using ::fopen;
using ::fprintf;
using ::free;
using ::malloc;
using ::memcmp;
using ::memcpy;
using ::memset;
using ::printf;
using ::rand;
using ::snprintf;
using ::sprintf;
using ::srand;
using ::strcmp;
using ::strlen;
using ::time;
} // namespace std
