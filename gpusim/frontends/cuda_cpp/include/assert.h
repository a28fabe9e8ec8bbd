// <assert.h>, as often as it is included: NDEBUG takes the assertions away.
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) __assert_that(static_cast<bool>(condition), #condition)
#endif
