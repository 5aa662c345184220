#define SEVEN 7
