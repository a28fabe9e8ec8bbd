// <assert.h>, as often as it is included: NDEBUG takes the assertions away.
#undef assert
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...) __assert_that(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__)
#endif
