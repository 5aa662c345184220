// Declarations of the C++ library that host parts of programs use: strings, vectors, streams, clocks, random numbers. As
// none of it runs, none of it does anything: declarations let main() be parsed, and those that take a lambda, whose type has
// no linkage, need a body, which is empty.
#pragma once

namespace std {
template <typename _T> class allocator {};

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
template <typename _T> string to_string(_T v);
int stoi(const string &s, size_t *end = nullptr, int base = 10);
long stol(const string &s, size_t *end = nullptr, int base = 10);
unsigned long stoul(const string &s, size_t *end = nullptr, int base = 10);
float stof(const string &s, size_t *end = nullptr);
double stod(const string &s, size_t *end = nullptr);

template <typename _T, typename _A = allocator<_T>> class vector {
 public:
  typedef _T value_type;
  typedef _T *iterator;
  typedef const _T *const_iterator;
  vector();
  explicit vector(size_t n);
  vector(size_t n, const _T &v);
  vector(initializer_list<_T> values);
  template <typename _I> vector(_I first, _I last);
  _T *data();
  const _T *data() const;
  size_t size() const;
  size_t capacity() const;
  bool empty() const;
  _T &operator[](size_t i);
  const _T &operator[](size_t i) const;
  _T &at(size_t i);
  _T &front();
  _T &back();
  _T *begin();
  _T *end();
  const _T *begin() const;
  const _T *end() const;
  const _T *cbegin() const;
  const _T *cend() const;
  void push_back(const _T &v);
  template <typename... _X> _T &emplace_back(_X &&...x);
  void pop_back();
  void resize(size_t n);
  void resize(size_t n, const _T &v);
  void reserve(size_t n);
  void assign(size_t n, const _T &v);
  void clear();
  _T *insert(const _T *at, const _T &v);
  _T *erase(const _T *at);
};
template <typename _T> bool operator==(const vector<_T> &a, const vector<_T> &b);
template <typename _T> bool operator!=(const vector<_T> &a, const vector<_T> &b);

template <typename _K, typename _V> class map {
 public:
  typedef pair<const _K, _V> value_type;
  _V &operator[](const _K &k);
  size_t size() const;
  size_t count(const _K &k) const;
  value_type *find(const _K &k);
  value_type *begin();
  value_type *end();
};
template <typename _K, typename _V> class unordered_map : public map<_K, _V> {};
template <typename _T> class set {
 public:
  void insert(const _T &v);
  size_t size() const;
  size_t count(const _T &v) const;
  const _T *begin() const;
  const _T *end() const;
};
template <typename _T> class unique_ptr {
 public:
  unique_ptr();
  explicit unique_ptr(_T *p);
  _T *get() const;
  _T &operator*() const;
  _T *operator->() const;
  explicit operator bool() const;
};
template <typename _T> class unique_ptr<_T[]> {
 public:
  explicit unique_ptr(_T *p);
  _T *get() const;
  _T &operator[](size_t i) const;
};
template <typename _T> class shared_ptr : public unique_ptr<_T> {};
template <typename _T, typename... _A> unique_ptr<_T> make_unique(_A &&...a);
template <typename _T, typename... _A> shared_ptr<_T> make_shared(_A &&...a);
template <typename _F> class function;
template <typename _R, typename... _A> class function<_R(_A...)> {
 public:
  template <typename _F> function(_F) {}
  _R operator()(_A... a) const;
};
template <typename _T = void> struct less {};
template <typename _T = void> struct greater {};
template <typename _T = void> struct plus {};
template <typename _T = void> struct multiplies {};

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
  template <typename _T> ostream &operator<<(const _T &v);
  ostream &operator<<(ostream &(*manipulator)(ostream &));
  ostream &operator<<(ios_base &(*manipulator)(ios_base &));
  ostream &write(const char *s, streamsize n);
  ostream &flush();
  streamsize precision(streamsize n);
  streamsize width(streamsize n);
};
class istream : public ios_base {
 public:
  template <typename _T> istream &operator>>(_T &v);
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

template <typename _I> void sort(_I first, _I last);
template <typename _I, typename _L> void sort(_I, _I, _L) {}
template <typename _I, typename _L> void stable_sort(_I, _I, _L) {}
template <typename _I> bool is_sorted(_I first, _I last);
template <typename _I, typename _T> void fill(_I first, _I last, const _T &v);
template <typename _I, typename _T> _I fill_n(_I first, size_t n, const _T &v);
template <typename _I, typename _G> void generate(_I, _I, _G) {}
template <typename _I, typename _O> _O copy(_I first, _I last, _O to);
template <typename _I, typename _O> _O copy_n(_I first, size_t n, _O to);
template <typename _I, typename _J> bool equal(_I first, _I last, _J other);
template <typename _I> void reverse(_I first, _I last);
template <typename _I, typename _G> void shuffle(_I, _I, _G &&) {}
template <typename _I> void random_shuffle(_I first, _I last);
template <typename _I, typename _F> bool any_of(_I, _I, _F) { return false; }
template <typename _I, typename _F> bool all_of(_I, _I, _F) { return false; }
template <typename _I, typename _F> _I find_if(_I first, _I, _F) { return first; }
template <typename _I> _I max_element(_I first, _I last);
template <typename _I> _I min_element(_I first, _I last);
template <typename _I, typename _T> _I find(_I first, _I last, const _T &v);
template <typename _I, typename _J, typename _O, typename _F> _O transform(_I, _I, _J, _O to, _F) { return to; }
template <typename _I, typename _O, typename _F> _O transform(_I, _I, _O to, _F) { return to; }
template <typename _I, typename _F> _F for_each(_I, _I, _F f) { return f; }
template <typename _I, typename _T> void iota(_I first, _I last, _T v);
template <typename _I, typename _T> _T accumulate(_I first, _I last, _T v);
template <typename _I, typename _T, typename _F> _T accumulate(_I, _I, _T v, _F) { return v; }
template <typename _I, typename _J, typename _T> _T inner_product(_I first, _I last, _J other, _T v);
template <typename _I, typename _O> _O partial_sum(_I first, _I last, _O to);
template <typename _I> auto begin(_I &c) -> decltype(c.begin());
template <typename _I> auto end(_I &c) -> decltype(c.end());
template <typename _T, size_t _N> _T *begin(_T (&a)[_N]);
template <typename _T, size_t _N> _T *end(_T (&a)[_N]);

template <long _N, long _D = 1> struct ratio {};
typedef ratio<1, 1000> milli;
typedef ratio<1, 1000000> micro;
typedef ratio<1, 1000000000> nano;
namespace chrono {
template <typename _R, typename _P = ratio<1>> class duration {
 public:
  duration();
  template <typename R2, typename P2> duration(const duration<R2, P2> &d);
  _R count() const;
};
typedef duration<long, nano> nanoseconds;
typedef duration<long, micro> microseconds;
typedef duration<long, milli> milliseconds;
typedef duration<long> seconds;
template <typename _C> class time_point {
 public:
  nanoseconds time_since_epoch() const;
};
template <typename _C> nanoseconds operator-(const time_point<_C> &a, const time_point<_C> &b);
template <typename To, typename _R, typename _P> To duration_cast(const duration<_R, _P> &d);
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
template <typename _T> class __ks_distribution {
 public:
  __ks_distribution();
  explicit __ks_distribution(_T a);
  __ks_distribution(_T a, _T b);
  template <typename _G> _T operator()(_G &g);
};
template <typename _T = double> class uniform_real_distribution : public __ks_distribution<_T> { using __ks_distribution<_T>::__ks_distribution; };
template <typename _T = int> class uniform_int_distribution : public __ks_distribution<_T> { using __ks_distribution<_T>::__ks_distribution; };
template <typename _T = double> class normal_distribution : public __ks_distribution<_T> { using __ks_distribution<_T>::__ks_distribution; };

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
