// One construct of C++ a piece, compared with what a C++ compiler makes of it: `test(t)` for t from 0 to 63.

// == range_for_in_range_for
struct At {
  int v;
  __device__ int operator*() const { return v; }
  __device__ void operator++() { ++v; }
  __device__ bool operator!=(const At& o) const { return v < o.v; }
};
struct Between {
  int b, e;
  __device__ At begin() const { return {b}; }
  __device__ At end() const { return {e}; }
};
__device__ int test(int t) {
  int s = 0;
  for (int u : Between{0, 3}) {
    for (int v : Between{7, 7 + t % 4}) s += 10 * u + v;
    for (int v : Between{u, 3}) s = 3 * s + v;
    if (s > 4000) break;
  }
  return s;
}

// == enum_of_unsigned_typedefs
enum class Byte : uint8_t { a = 250, b = 3 };
enum Word : uint32_t { high = 0xf0000000, low = 1 };
enum class Long : std::uint64_t { top = 0xffffffffffffffff };
enum class Small : int8_t { minus = -3 };
enum Short : uint16_t { many = 65000 };
enum Answer : bool { no, yes };
__device__ int test(int t) {
  Byte a = t % 2 ? Byte::a : Byte::b;
  Short m = many;
  Answer e = yes;
  int s = (int)a + (high >> 28) + (high >> (t % 28)) % 7 + (int)Small::minus + m + e * 10 + (int)yes + no;
  switch (a) {
    case Byte::a: s += 3; break;
    case Byte::b: s += 5;
  }
  return s + ((uint8_t)Byte::a + 10) + (int)((uint64_t)Long::top >> 60) + (low ? 1 : 0);
}

// == array_as_long_as_an_argument
template <int N, class T> __device__ T sum(int t) {
  const int h = N;
  constexpr int w = (N);
  T a[h], b[h][w];
  for (int i = 0; i < h; ++i) a[i] = b[i][w - 1] = i * t;
  return a[h - 1] + b[h / 2][w - 1] + h;
}
__device__ int test(int t) { return sum<3, int>(t) + sum<8, int>(t); }

// == goto_fwd
__device__ int test(int t) {
  int s=0;
  if(t%3==0) goto end;
  s=5;
  s+=t;
  end: return s+1;
}

// == goto_back
__device__ int test(int t) {
  int s=0,i=0;
  again: s+=i*t;
  if(++i<t%7+1) goto again;
  return s;
}

// == goto_out
__device__ int test(int t) {
  int s=0;
  for(int i=0;i<10;i++) for(int j=0;j<10;j++) {
    s+=i*j;
    if(i*j>t) goto out;
  }
  out: return s;
}

// == goto_dtor
struct G {
  int* p;
  int v;
  __device__ G(int*p,int v):p(p),v(v) {
  }
  __device__ ~G() {
    *p=*p*3+v;
  }
};
__device__ int test(int t) {
  int s=1;
  int n=0;
  again: {
    G g(&s,t);
    if(n++<2) goto again;
    G h(&s,2);
    if(t%2) goto out;
    s+=100;
  }
  s+=1000;
  out: return s;
}

// == goto_dtor_loop
struct G {
  int* p;
  int v;
  __device__ G(int*p,int v):p(p),v(v) {
  }
  __device__ ~G() {
    *p=*p*3+v;
  }
};
__device__ int test(int t) {
  int s=1;
  for(int i=0;i<3;i++) {
    G g(&s,i);
    for(int j=0;j<4;j++) {
      G h(&s,j);
      if(j==t%5) goto next;
      if(i+j==t%11) goto out;
    }
    next:;
  }
  out: return s;
}

// == duff
__device__ int test(int t) {
  int n=t+1, s=0, k=(n+3)/4, i=0;
  switch(n%4) {
    case 0: do {
      s+=i++*2;
      case 3: s+=i++*3;
      case 2: s+=i++*5;
      case 1: s+=i++*7;
    } while(--k>0);
  }
  return s;
}

// == switch_nest
__device__ int test(int t) {
  int s=0,q;
  switch(t%6) {
    case 0: if(t>10) {
      case 1: s+=1;
    }  else {
      case 2: s+=2;
    }
    break;
    case 3: {
      q=t;
      s+=q;
      case 4: s+=40;
    }
    default: s+=7;
  }
  return s;
}

// == switch_loop
__device__ int test(int t) {
  int s=0;
  for(int i=0;i<t%9;i++) {
    switch(i) {
      case 1: continue;
      case 3: s+=3;
      break;
      case 5: case 6: s+=10;
      default: s+=1;
    }
    s*=2;
  }
  return s;
}

// == case_range
__device__ int test(int t) {
  switch(t) {
    case 0 ... 9: return 1;
    case 20 ... 30: return 2;
    default: return 3;
  }
}

// == static_const
__device__ int test(int t) {
  static const int table[4]={3,1,4,1};
  static constexpr float f[2]={1.5f,2.5f};
  static const int k=7;
  return table[t%4]*k+(int)(f[t%2]*2);
}

// == digit
__device__ int test(int t) {
  return 1'000'000 + 0b1010'1010 + 0xff'ff*0 + t;
}

// == rawstr
__device__ int test(int t) {
  const char* s = R"(a"b\n)";
  return s[t%5];
}

// == strings
__device__ int test(int t) {
  const char* s = "hello" " world";
  char b[]="abc";
  return s[t%11]+b[t%4];
}

// == macro
#define SUM(a,b) do { \
 int q_ = (a); \
 r += q_ + (b); \
} while(0)
#define CAT(a,b) a##b
#define STR(x) #x
__device__ int test(int t) {
  int r=0;
  SUM(t,2);
  SUM(3,t*t);
  int CAT(x,1)=4;
  return r+x1+STR(abc)[t%4];
}

// == vmacro
#define MAX2(...) mx(__VA_ARGS__)
__device__ int mx(int a,int b) {
  return a>b?a:b;
}
__device__ int test(int t) {
  return MAX2(t,20);
}

// == unroll
template<int N> __device__ int f(int t) {
  int s=0;
#pragma unroll N
  for(int i=0;i<N;i++) s+=i*t;
#pragma unroll
  for(int i=0;i<4;++i) s^=i;
#pragma unroll (2)
  for(int i=0;i<4;++i) s+=i;
  return s;
}
__device__ int test(int t) {
  return f<5>(t);
}

// == constexpr_fn
constexpr int fact(int n) {
  int r=1;
  for(int i=2;i<=n;i++) r*=i;
  return r;
}
template<int N> struct B {
  int a[N];
};
static_assert(fact(4)==24,"x");
__device__ int test(int t) {
  int a[fact(3)];
  for(int i=0;i<fact(3);i++) a[i]=i*t;
  B<fact(3)> b;
  b.a[t%6]=a[t%6];
  constexpr int q=fact(5);
  return b.a[t%6]+(int)sizeof(b)+q;
}

// == constexpr_rt
constexpr int gcd(int a,int b) {
  return b?gcd(b,a%b):a;
}
__device__ int test(int t) {
  constexpr int g=gcd(48,36);
  return g+t;
}

// == constexpr_arr
struct T {
  int v[8];
  constexpr T():v() {
    for(int i=0;i<8;i++) v[i]=i*i;
  }
};
constexpr T tab;
__device__ int test(int t) {
  return tab.v[t%8];
}

// == ifconstexpr
template<class T> __device__ T f(T x) {
  if constexpr(sizeof(T)==4) return x+1;
  else return x*2;
}
__device__ int test(int t) {
  return f(t)+(int)f((double)t);
}

// == auto_decl
__device__ auto f(int t) {
  return t*2.5;
}
__device__ int test(int t) {
  auto x=f(t);
  decltype(x) y=x+1;
  decltype(auto) z=(y);
  z+=2;
  return (int)(y*4);
}

// == sb_struct
struct P {
  int a;
  float b;
  short c;
};
__device__ P mk(int t) {
  return {t,t*0.5f,(short)(t+1)};
}
__device__ int test(int t) {
  auto [a,b,c]=mk(t);
  P p=mk(t+1);
  auto& [x,y,z]=p;
  x+=10;
  z=3;
  const auto& [u,v,w]=p;
  return a+(int)(b*2)+c+p.a+p.c+u+w;
}

// == sb_arr
__device__ int test(int t) {
  int q[3]={t,t+1,t*2};
  auto& [a,b,c]=q;
  b=7;
  auto [d,e,f]=q;
  d=100;
  return a+q[1]*3+c+d+e+f+q[0];
}

// == rangefor
__device__ int test(int t) {
  int a[5]={1,2,3,4,t};
  int s=0;
  for(int x:a) s+=x;
  for(auto& x:a) x*=2;
  for(const auto& x:a) s+=x;
  for(int x:{5,6,7}) s+=x*t;
  return s;
}

// == rangefor_own
struct R {
  int lo,hi;
  struct I {
    int v;
    __device__ int operator*() const {
      return v;
    }
    __device__ I& operator++() {
      ++v;
      return *this;
    }
    __device__ bool operator!=(const I& o) const {
      return v!=o.v;
    }
  };
  __device__ I begin() const {
    return {lo};
  }
  __device__ I end() const {
    return {hi};
  }
};
__device__ int test(int t) {
  int s=0;
  for(int i: R{2,t%9+2}) s+=i*i;
  return s;
}

// == rangefor_free
struct R {
  int a[4];
};
__device__ int* begin(R& r) {
  return r.a;
}
__device__ int* end(R& r) {
  return r.a+4;
}
__device__ int test(int t) {
  R r={{1,2,3,t}};
  int s=0;
  for(int x:r) s=s*3+x;
  return s;
}

// == rangefor2d
__device__ int test(int t) {
  int a[2][3]={{1,2,3},{4,5,t}};
  int s=0;
  for(auto& r:a) for(int x:r) s=s*2+x;
  return s;
}

// == fold
template<class... A> __device__ int sum(A... a) {
  return (a + ... + 0);
}
template<class... A> __device__ bool all(A... a) {
  return (... && (a>0));
}
template<class... A> __device__ void each(int& s, A... a) {
  ((s = s*3 + (int)a), ...);
}
__device__ int test(int t) {
  int s=0;
  each(s,1,t,2.5f);
  return sum(1,t,3)+all(1,t,2)+sum()+s;
}

// == variadic_rec
__device__ int last() {
  return 0;
}
template<class T,class... R> __device__ int last(T a,R... r) {
  if constexpr(sizeof...(r)==0) return (int)a;
  else return (int)a*2+last(r...);
}
__device__ int test(int t) {
  return last(1,t,3.7f,4u);
}

// == variadic_cls
template<class... T> struct Tup;
template<> struct Tup<> {
};
template<class H,class... R> struct Tup<H,R...> {
  H h;
  Tup<R...> r;
};
template<int I,class T> struct At;
template<class H,class... R> struct At<0,Tup<H,R...>> {
  using type=H;
  static __device__ H& get(Tup<H,R...>& t) {
    return t.h;
  }
};
template<int I,class H,class... R> struct At<I,Tup<H,R...>> {
  using N=At<I-1,Tup<R...>>;
  using type=typename N::type;
  static __device__ type& get(Tup<H,R...>& t) {
    return N::get(t.r);
  }
};
__device__ int test(int t) {
  Tup<int,float,short> q;
  q.h=t;
  q.r.h=2.5f;
  q.r.r.h=9;
  At<2,decltype(q)>::get(q)+=t;
  return q.h+(int)q.r.h+At<2,decltype(q)>::get(q);
}

// == default_targ
template<class T=int,int N=3> struct A {
  T v[N];
  __device__ T s() {
    T r=0;
    for(int i=0;i<N;i++) r+=v[i];
    return r;
  }
};
__device__ int test(int t) {
  A<> a={{t,2,3}};
  A<float> b={{1.5f,2.f,3.f}};
  return a.s()+(int)b.s();
}

// == deduction
template<class T> struct V {
  T x;
  __device__ V(T x):x(x) {
  }
};
template<class T> struct W {
  T a,b;
};
template<class T> W(T,T)->W<T>;
__device__ int test(int t) {
  V v(t);
  V f(2.5f);
  W w{t,4};
  return v.x+(int)(f.x*2)+w.a*w.b;
}

// == alias
template<class T> using Ptr=T*;
template<class T,int N> using Arr=T[N];
using I=int;
__device__ int test(int t) {
  Arr<I,4> a={1,2,3,t};
  Ptr<int> p=a+1;
  return p[2]+p[0];
}

// == ttp
template<class T> struct Add {
  __device__ T operator()(T a,T b) const {
    return a+b;
  }
};
template<class T> struct Mul {
  __device__ T operator()(T a,T b) const {
    return a*b;
  }
};
template<template<class> class Op,class T> __device__ T red(T* p,int n) {
  Op<T> op;
  T r=p[0];
  for(int i=1;i<n;i++) r=op(r,p[i]);
  return r;
}
__device__ int test(int t) {
  int a[3]={t,3,4};
  return red<Add>(a,3)*1000+red<Mul>(a,3);
}

// == limits
__device__ int test(int t) {
  return std::numeric_limits<int>::max()-t+(std::numeric_limits<float>::infinity()>1e30f)+(int)std::numeric_limits<unsigned char>::max()+(std::numeric_limits<double>::lowest()<0)+(int)(std::numeric_limits<float>::epsilon()*1e9f);
}

// == traits
template<class T,std::enable_if_t<std::is_integral<T>::value,int> =0> __device__ int k(T) {
  return 1;
}
template<class T,std::enable_if_t<std::is_floating_point_v<T>,int> =0> __device__ int k(T) {
  return 2;
}
__device__ int test(int t) {
  return k(t)+10*k(1.5)+100*std::is_same_v<int,decltype(t)>+(std::is_unsigned_v<unsigned>)*1000+sizeof(std::conditional_t<true,char,int>);
}

// == minmax
__device__ int test(int t) {
  return std::min(t,20)+std::max(t,3)*2+(int)std::max(1.5f,(float)t)+std::min<int>(t,5u);
}

// == stdarray
__device__ int test(int t) {
  std::array<int,4> a={1,2,3,t};
  int s=0;
  for(auto x:a) s+=x;
  a[2]=9;
  return s+a[2]+a.size()+a.back()+a.data()[1];
}

// == swap
__device__ int test(int t) {
  int a=t,b=3;
  std::swap(a,b);
  return a*100+b;
}

// == glambda
__device__ int test(int t) {
  auto add=[](auto a,auto b) {
    return a+b;
  };
  auto g=[&](auto x) {
    return x*t;
  };
  return add(t,1)+(int)(add(1.5f,2.5)*2)+g(3)+(int)g(0.5f);
}

// == lambda_cap
__device__ int test(int t) {
  int a=t,b=2;
  auto v=[a,&b](int x) {
    b+=x;
    return a*x;
  };
  int r=v(3)+v(4);
  a=1000;
  r+=v(5);
  auto m=[n=t*2]() mutable {
    n+=3;
    return n;
  };
  int q=m()+m();
  auto all=[=]{return a+b;};
  b=0;
  auto rf=[&]{ a=1; b=2;};
  int z=all();
  rf();
  return r+q*10+z+a+b;
}

// == lambda_mut_copy
__device__ int test(int t) {
  auto m=[n=t]() mutable {
    return ++n;
  };
  auto k=m;
  return m()*100+m()*10+k();
}

// == lambda_tmpl
template<class F> __device__ int app(F f,int n) {
  int s=0;
  for(int i=0;i<n;i++) s+=f(i);
  return s;
}
template<class F> __device__ void each(F&& f) {
  f(1);
  f(2);
}
__device__ auto mk(int k) {
  return [k](int x) {
    return x*k;
  };
}
__device__ int test(int t) {
  int c=0;
  each([&](int x){c+=x*t;});
  auto f=mk(t);
  return app([=](int i){return i*t;},4)+app(mk(3),3)+c+f(2)+[](int a) {
    return a+1;
  }
  (t);
}

// == lambda_rec
__device__ int test(int t) {
  auto f=[](auto self,int n)->int {
    return n<=1?1:n*self(self,n-1);
  };
  return 0*t+1;
}

// == lambda_nested
__device__ int test(int t) {
  int k=t;
  auto f=[&](int x) {
    auto g=[&](int y) {
      k+=y;
      return k*x;
    };
    return g(1)+g(2);
  };
  return f(3)+k;
}

// == lambda_ptr
__device__ int app(int(*f)(int),int x) {
  return f(x);
}
__device__ int test(int t) {
  auto f=[](int x) {
    return x*3;
  };
  int(*p)(int)=f;
  return app(f,t)+app(+[](int a){return a-1;},t)+p(2);
}

// == lambda_this
struct S {
  int k;
  __device__ int run(int t) {
    auto f=[this](int x) {
      return x*k;
    };
    auto g=[=](int x) {
      k+=x;
      return k;
    };
    auto h=[*this](int x) {
      return k+x;
    };
    k=50;
    return f(t)+g(1)+h(2);
  }
};
__device__ int test(int t) {
  S s{t};
  return s.run(3)+s.k;
}

// == lambda_ternary
__device__ int test(int t) {
  auto f=[](int x) {
    if(x>5) return x*2;
    return x;
  };
  auto g=[](int x)->float {
    return x;
  };
  return f(t)+(int)(g(t)/2);
}

// == lambda_struct
template<class F> struct H {
  F f;
  int n;
  __device__ int go() {
    return f(n);
  }
};
__device__ int test(int t) {
  auto l=[t](int x) {
    return x+t;
  };
  H<decltype(l)> h{l,3};
  return h.go();
}

// == lambda_struct2
template<class F> struct H {
  F f;
  int n;
  __device__ H(F f,int n):f(f),n(n) {
  }
  __device__ int operator()(int k) {
    return f(n)+k;
  }
};
template<class F> __device__ H<F> mk(F f,int n) {
  return H<F>(f,n);
}
__device__ int test(int t) {
  auto h=mk([=](int x){return x*t;},3);
  return h(2);
}

// == fptr
__device__ int add(int a,int b) {
  return a+b;
}
__device__ int sub(int a,int b) {
  return a-b;
}
typedef int(*Op)(int,int);
using Op2=int(*)(int,int);
__device__ int ap(Op f,int a,int b) {
  return f?f(a,b):-1;
}
__device__ int test(int t) {
  Op f=t%2?add:sub;
  Op2 n=nullptr;
  Op tab[2]={add,&sub};
  int r=f(t,3)+ap(add,t,1)+ap(n,1,2)+tab[t%2](5,t)+(*f)(1,1);
  return r+(f==add)*100+(f!=nullptr)*1000+(tab[0]==add);
}

// == fptr_targ
__device__ int add(int a,int b) {
  return a+b;
}
__device__ int mul(int a,int b) {
  return a*b;
}
template<int(*F)(int,int)> __device__ int red(int n) {
  int r=1;
  for(int i=1;i<n;i++) r=F(r,i);
  return r;
}
template<auto F> __device__ int ap(int a) {
  return F(a,a);
}
__device__ int test(int t) {
  return red<add>(t%5+1)+red<mul>(t%5+1)*100+ap<add>(t);
}

// == fptr_struct
struct Op {
  int(*f)(int);
  int k;
};
__device__ int a(int x) {
  return x+1;
}
__device__ int b(int x) {
  return x*2;
}
__device__ int test(int t) {
  Op o{t%2?a:b,3};
  Op os[2]={{a,1},{b,2}};
  o.f = t%3? o.f : a;
  return o.f(t)+os[t%2].f(o.k)+os[1].k;
}

// == volat
__device__ int test(int t) {
  volatile int v=t;
  v+=2;
  v++;
  int r=v;
  volatile int* p=&v;
  *p=*p+1;
  return v+r;
}

// == restrict
__forceinline__ __device__ int f(const int* __restrict__ p,int n) {
  int s=0;
  for(int i=0;i<n;i++) s+=p[i];
  return s;
}
__noinline__ __device__ int g(int x) {
  return x*2;
}
__device__ int test(int t) {
  int a[3]={1,2,t};
  return f(a,3)+g(t);
}

// == unions
union U {
  float f;
  unsigned u;
  unsigned char b[4];
};
__device__ int test(int t) {
  U u;
  u.f=t*1.5f;
  return u.u%1000+u.b[3];
}

// == anon
struct S {
  union {
    int i;
    float f;
  };
  struct {
    int a,b;
  };
};
__device__ int test(int t) {
  S s;
  s.f=t;
  s.a=1;
  s.b=t;
  return (s.i>>20)+s.a+s.b;
}

// == memcpy_pun
__device__ int test(int t) {
  float f=t*1.25f;
  unsigned u;
  memcpy(&u,&f,4);
  double d=t;
  unsigned long long w;
  memcpy(&w,&d,sizeof(w));
  return u%10007+(int)(w>>48);
}

// == memcpy_arr
__device__ int test(int t) {
  int a[5]={1,2,3,4,t},b[5];
  memcpy(b,a,sizeof(a));
  memset(a,0,sizeof(a));
  memcpy(a+1,b+2,t%3*4);
  int s=0;
  for(int i=0;i<5;i++) s=s*3+a[i]+b[i];
  memmove(b+1,b,16);
  return s+b[1]+b[4];
}

// == memcpy_char
__device__ int test(int t) {
  char a[8]="abcdefg";
  char b[8];
  memset(b,'x',8);
  memcpy(b+1,a+2,t%5);
  memset(a,t,3);
  int s=0;
  for(int i=0;i<8;i++) s=s*3+b[i]+a[i];
  return s;
}

// == memcpy_struct
struct P {
  int a;
  float b;
  char c;
};
__device__ int test(int t) {
  P p{t,1.5f,'x'},q;
  memcpy(&q,&p,sizeof(P));
  P r[2];
  memcpy(&r[1],&q,sizeof q);
  memset(&p,0,sizeof p);
  unsigned char bytes[sizeof(P)];
  memcpy(bytes,&q,sizeof(P));
  return q.a+r[1].a*2+(int)(r[1].b*2)+q.c+p.a+bytes[0];
}

// == memset_pun
__device__ int test(int t) {
  int x;
  memset(&x,0xff,sizeof(x));
  float f=1;
  memset(&f,0,4);
  return x+(int)f+t;
}

// == strfn
__device__ int test(int t) {
  char a[16]="hello";
  char b[16];
  strcpy(b,a);
  b[1]='a';
  strcat(b,"xy");
  return strlen(b)+strcmp(a,b)*(strcmp(a,b)>0?1:-1)*0+(strcmp(a,b)>0)*100+strncmp(a,b,1)+strlen("abc"+t%3);
}

// == typed_enum
enum class E:unsigned char {
  A=1,B,C=7
};
enum {
  X=3,Y
};
__device__ int test(int t) {
  E e=t%2?E::A:E::C;
  switch(e) {
    case E::A: return X;
    case E::C: return Y+(int)e;
    default: return 0;
  }
}

// == ns
namespace a {
  namespace b {
    __device__ int f(int x) {
      return x+1;
    }
  }
  inline namespace c {
    __device__ int g(int x) {
      return x*2;
    }
  }
}
using namespace a;
using a::b::f;
namespace q=a::b;
__device__ int test(int t) {
  return f(t)+g(t)+q::f(1)+a::g(2);
}

// == oper
struct V {
  float x,y;
  __device__ V operator+(V o) const {
    return {x+o.x,y+o.y};
  }
  __device__ V& operator+=(V o) {
    x+=o.x;
    y+=o.y;
    return *this;
  }
  __device__ float operator[](int i) const {
    return i?y:x;
  }
  __device__ explicit operator bool() const {
    return x!=0;
  }
  friend __device__ V operator*(float s,V v) {
    return {s*v.x,s*v.y};
  }
  __device__ bool operator==(const V&o) const {
    return x==o.x&&y==o.y;
  }
  __device__ V operator-() const {
    return{-x,-y};
  }
};
__device__ int test(int t) {
  V a{(float)t,1},b=2.f*a;
  b+=a;
  V c=-(a+b);
  return (int)(c[0]+c[1]*10)+(a?1:0)+(a==b);
}

// == inherit
struct A {
  int a;
  __device__ A(int a):a(a) {
  }
  __device__ int f() {
    return a;
  }
};
struct B:A {
  int b;
  using A::A;
  __device__ B(int a,int b):A(a),b(b) {
  }
  __device__ int f() {
    return A::f()*10+b;
  }
};
__device__ int g(A& x) {
  return x.f();
}
__device__ int test(int t) {
  B b(t,3);
  return b.f()+g(b);
}

// == crtp
template<class Dv> struct Base {
  __device__ int run(int x) {
    return static_cast<Dv*>(this)->impl(x)+1;
  }
};
struct K:Base<K> {
  int k;
  __device__ int impl(int x) {
    return x*k;
  }
};
__device__ int test(int t) {
  K k;
  k.k=3;
  return k.run(t);
}

// == staticmem
struct S {
  static constexpr int N=4;
  static __device__ int f(int x) {
    return x+N;
  } enum{Q=5};
  using T=int;
};
template<class P> __device__ int h(int t) {
  typename P::T a[P::N];
  a[0]=t;
  return a[0]+P::Q+P::f(1);
}
__device__ int test(int t) {
  return h<S>(t)+S::N;
}

// == comma_tern
__device__ int test(int t) {
  int a=1,b=2;
  int r=(a=t,b+=a,a*b);
  (t%2?a:b)=50;
  return r+a+b+(t>3?t>10?1:2:3);
}

// == ptrarith
__device__ int test(int t) {
  int a[10];
  for(int*p=a;p!=a+10;++p) *p=(int)(p-a)*t;
  int*q=&a[3];
  int (*m)[5]=(int(*)[5])a;
  return *q++ + *q + q[-1] + (int)(q-a) + m[1][2];
}

// == init
__device__ int test(int t) {
  int a{t};
  int b{};
  int c=int();
  float f=float{2.5f};
  int arr[4]{1,2};
  int e[]={1,2,3};
  auto z=sizeof(e)/sizeof(*e);
  return a+b+c+(int)f+arr[3]+arr[1]+z;
}

// == shortc
__device__ int test(int t) {
  short s=t*3000;
  signed char c=t*7;
  unsigned char u=c;
  s+=c;
  c<<=1;
  return s+c+u;
}

// == bitf
struct B {
  unsigned a:3;
  int b:5;
  unsigned c:10;
  bool d:1;
  unsigned e:13;
};
__device__ int test(int t) {
  B b={1,-3,500,true,0};
  b.a=t;
  b.b+=t;
  b.c++;
  b.e=t*100;
  b.d=!b.d;
  --b.b;
  B k=b;
  k.a|=2;
  return b.a+b.b*10+b.c*3+b.d+b.e+k.a+(int)sizeof(B);
}

// == bitf2
struct B {
  char x;
  unsigned long long a:40;
  int :0;
  short b:9;
  unsigned char c:3,d:5;
  int z;
};
__device__ int f(B b) {
  return b.b+b.c;
}
__device__ int test(int t) {
  B b[2];
  for(int i=0;i<2;i++) {
    b[i].x=i;
    b[i].a=(1ull<<39)+t;
    b[i].b=-t;
    b[i].c=t;
    b[i].d=t*3;
    b[i].z=t;
  }
  b[t%2].b-=3;
  return f(b[0])+f(b[1])+(int)(b[t%2].a%1000)+b[1].d+b[1].z+b[1].x+(int)sizeof(B);
}

// == bitf_union
union U {
  struct {
    unsigned m:23,e:8,s:1;
  } p;
  float f;
  unsigned u;
};
__device__ int test(int t) {
  U u;
  u.f=t*1.5f;
  u.p.e+=1;
  return (int)u.f+u.p.e+u.p.m%1000+u.p.s;
}

// == bitf_default
struct F {
  unsigned a:4=5;
  unsigned b:4{3};
  int c=2;
};
struct G {
  unsigned x:6,y:6;
  __device__ G(int v):x(v),y(v*2) {
  }
  __device__ int s() const {
    return x+y;
  }
};
__device__ int test(int t) {
  F f;
  F g{1};
  G q(t);
  return f.a+f.b*10+g.a+g.b+f.c+q.s();
}

// == bitf_packed
struct __attribute__((packed)) P{ unsigned char t; unsigned a:17; unsigned b:15; unsigned short s; };
__device__ int test(int t) {
  P p;
  p.t=1;
  p.a=t*1000;
  p.b=t*300;
  p.s=t;
  return p.a%997+p.b%499+p.s+p.t+(int)sizeof(P);
}

// == bitf_enum
enum E {
  X,Y,Z
};
struct S {
  E e:2;
  unsigned v:6;
};
__device__ int test(int t) {
  S s;
  s.e=(E)(t%3);
  s.v=t;
  return s.e==Y? s.v : s.e*100;
}

// == attr
struct __align__(16) A{ float x,y,z; };
struct alignas(8) B{ int a; };
[[nodiscard]] __device__ int f(int x) {
  return x;
}
__device__ int test([[maybe_unused]] int t) {
  [[maybe_unused]] int q=1;
  switch(t) {
    case 1: q=2;
    [[fallthrough]];
    default: q+=1;
  }
  return sizeof(A)+sizeof(B)+f(t)+q;
}

// == tmpl_spec
template<class T> struct Tr {
  static constexpr int v=0;
};
template<> struct Tr<float> {
  static constexpr int v=1;
};
template<class T> struct Tr<T*> {
  static constexpr int v=2+Tr<T>::v;
};
template<class T> __device__ int nm() {
  return 0;
}
template<> __device__ int nm<int>() {
  return 7;
}
template<class T> constexpr int vv=sizeof(T);
__device__ int test(int t) {
  return Tr<int>::v+Tr<float*>::v*10+nm<int>()+vv<double>+t;
}

// == recur_tmpl
template<int N> struct Fib {
  static constexpr int v=Fib<N-1>::v+Fib<N-2>::v;
};
template<> struct Fib<0> {
  static constexpr int v=0;
};
template<> struct Fib<1> {
  static constexpr int v=1;
};
template<int N> __device__ int unr(int t) {
  if constexpr(N>0) return t*N+unr<N-1>(t);
  else return 0;
}
__device__ int test(int t) {
  return Fib<10>::v+unr<5>(t);
}

// == do_cont
__device__ int test(int t) {
  int i=0,s=0;
  do {
    if(i==3) continue;
    s+=i;
    if(s>t) break;
  } while(++i<10);
  return s*100+i;
}

// == if_init
__device__ int test(int t) {
  if(int k=t%4; k>1) return k;
  else return -k;
}

// == switch_init
__device__ int test(int t) {
  switch(int k=t%4; k) {
    case 1: return 10;
    default: return k;
  }
}

// == while_decl
__device__ int test(int t) {
  int s=0;
  while(int k=t%5) {
    s+=k;
    t--;
  }
  return s;
}

// == ref_member
struct R {
  int& r;
  __device__ R(int&x):r(x) {
  }
  __device__ void inc() {
    r+=2;
  }
};
__device__ int test(int t) {
  int a=t;
  R r(a);
  r.inc();
  r.inc();
  return a;
}

// == init_list_ctor
__device__ int sum(std::initializer_list<int> l) {
  int s=0;
  for(int x:l) s+=x;
  return s;
}
__device__ int test(int t) {
  return sum({1,2,t});
}

// == offsets
struct S {
  char a;
  int b;
  double c;
};
__device__ int test(int t) {
  return offsetof(S,c)+offsetof(S,b)*10+alignof(S)+t;
}

// == local_struct
__device__ int test(int t) {
  struct L {
    int a;
    int f() {
      return a*2;
    }
  } l{t};
  return l.f();
}

// == copyctor
struct C {
  int v;
  int* n;
  __device__ C(int v,int*n):v(v),n(n) {
  }
  __device__ C(const C& o):v(o.v+1),n(o.n) {
    ++*n;
  }
  __device__ C& operator=(const C&o) {
    v=o.v+10;
    return *this;
  }
};
__device__ int by(C c) {
  return c.v;
}
__device__ int test(int t) {
  int n=0;
  C a(t,&n);
  C b=a;
  C c(b);
  c=a;
  return by(c)+b.v+n*1000;
}

// == friendtmpl
template<class T> struct M {
  T v;
  template<class U> __device__ M<U> as() const {
    return {(U)v};
  }
  template<class U> friend __device__ auto operator+(M<U> a, M<U> b);
};
template<class U> __device__ auto operator+(M<U> a,M<U> b) {
  return M<U>{a.v+b.v};
}
__device__ int test(int t) {
  M<int> m{t};
  return (int)((m+m).as<float>().v*1.5f);
}

// == const_expr_tern
__device__ int test(int t) {
  const int n=t>5?1:2;
  const float k[3]={1.f,2.f,3.f};
  return (int)k[n]+n;
}

// == builtin
__device__ int test(int t) {
  return __builtin_popcount(t)+__builtin_clz(t+1)+__builtin_ctz(t+64)+__builtin_ffs(t)+__builtin_abs(-t);
}

// == multi_ret_struct
struct P {
  int a,b;
};
__device__ P f(int t) {
  if(t>5) return {t,1};
  if(t>3) return {2,t};
  P p;
  p.a=p.b=t;
  return p;
}
__device__ int test(int t) {
  P p=f(t);
  return p.a*10+p.b+f(t+1).a;
}

// == nested_tmpl_cls
template<class T> struct O {
  template<int N> struct I {
    T a[N];
    __device__ T s() const {
      T r{};
      for(auto x:a) r+=x;
      return r;
    }
  };
  I<3> m;
};
__device__ int test(int t) {
  O<int> o;
  for(int i=0;i<3;i++) o.m.a[i]=i*t;
  return o.m.s();
}

// == void_tmpl
template<bool B> __device__ void f(int& x) {
  if(B) x+=1;
  else x*=2;
}
__device__ int test(int t) {
  int a=t;
  f<true>(a);
  f<false>(a);
  return a;
}

// == char_tab
__device__ int test(int t) {
  static const char tab[]="ACGT";
  const char* const names[]={"zero","one","two"};
  return tab[t%4]+names[t%3][1];
}

// == bool_arith
__device__ int test(int t) {
  bool b=t;
  b+=3;
  b|=false;
  int s=b+b;
  s<<=b;
  return s+!t+!!t+(b^1);
}

// == u64
__device__ int test(int t) {
  unsigned long long h=14695981039346656037ull;
  h^=t;
  h*=1099511628211ull;
  return (int)(h>>33);
}

// == addr_this
struct N {
  int v;
  N* next;
};
__device__ int test(int t) {
  N a[4];
  for(int i=0;i<4;i++) {
    a[i].v=i*t;
    a[i].next=i<3?&a[i+1]:nullptr;
  }
  int s=0;
  for(N*p=a;p;p=p->next) s+=p->v;
  return s;
}

// == memcpy_loop
__device__ int test(int t) {
  float a[40];
  int b[40];
  for(int i=0;i<40;i++) {
    a[i]=i*t;
    b[i]=0;
  }
  memcpy(b+1,a+2,(t%30)*sizeof(float));
  memmove(a+1,a,30*sizeof(float));
  memmove(a,a+3,(t%20)*4);
  memset(b+t%8,0x11,t%30);
  int s=0;
  for(int i=0;i<40;i++) s=s*3+b[i]+(int)a[i];
  return s;
}

// == memcpy_mixed
__device__ int test(int t) {
  unsigned char raw[16];
  for(int i=0;i<16;i++) raw[i]=i*t+3;
  int x;
  unsigned short h;
  long long l;
  memcpy(&x,raw+t%5,4);
  memcpy(&h,raw+1,2);
  memcpy(&l,raw+3,sizeof l);
  x^=h;
  memcpy(raw+t%7,&x,sizeof(x));
  bool b;
  memcpy(&b,&raw[0],1);
  char c='q';
  memcpy(&c,raw+2,1);
  int s=(int)l;
  for(int i=0;i<16;i++) s=s*3+raw[i];
  return s+c;
}

// == memcpy_struct3
struct V {
  float x,y,z;
};
struct P {
  V a;
  int* q;
  bool f;
  char n[4];
};
__device__ int test(int t) {
  int k=t;
  P p;
  memset(&p,0,sizeof(P));
  p.a={1,2,(float)t};
  p.q=&k;
  p.n[1]='b';
  P r;
  memcpy(&r,&p,sizeof(P));
  float f[3];
  memcpy(f,&r.a,sizeof(V));
  V v;
  memcpy(&v,f,12);
  v.x+=1;
  memcpy(&f[1],&v.x,4);
  return *r.q+(int)f[1]+(int)f[2]+r.n[1]+r.f;
}

// == memset_s
struct V {
  float x;
  unsigned u;
  short s;
  double d;
};
__device__ int test(int t) {
  V v;
  memset(&v,t,sizeof v);
  V w;
  memset(&w,0,sizeof(V));
  w.u+=t;
  int a[4];
  memset(a,-1,sizeof(a));
  memset(&a[1],1,2);
  return v.u+v.s+(int)w.x+w.u+a[0]+a[1];
}

// == bitcast
template<class To,class From> __device__ To bc(const From& f) {
  static_assert(sizeof(To)==sizeof(From),"");
  To r;
  memcpy(&r,&f,sizeof(To));
  return r;
}
struct U2 {
  unsigned a,b;
};
__device__ int test(int t) {
  U2 u=bc<U2>(t*1.7);
  return bc<int>(t*1.5f)+u.a%1000+u.b+(int)bc<double>(u);
}

// == std_memcpy
__device__ int test(int t) {
  int a=t,b;
  std::memcpy(&b,&a,sizeof(int));
  char s[8];
  std::strcpy(s,"abc");
  const char* p=t%2?"xy":"abc";
  return b+std::strlen(s)+strlen(p)+(strcmp(s,p)==0)+memcmp(s,"abd",3)+(strncmp(p,"ab",2)>0)+(strncpy(s,p,6)[4]);
}

// == braces_are_evaluated_in_order
struct P {
  int a,b;
};
struct C {
  int a,b;
  __device__ C(int x,int y):a(x),b(y) {}
};
struct D {
  int a,b;
  __device__ D(const int& x,int y):a(x),b(y) {}
};
struct It {
  int at;
  __device__ int get() const { return at; }
  __device__ int adv() { return at+=3; }
};
__device__ int test(int t) {
  int x=t,v[3]={t,7,9},i=0;
  auto l=[&]{ return x*=2; };
  P p{x,++x};
  C c{x,l()};
  It it{x};
  P q{it.get(),it.adv()};
  D d{v[i],++i};
  int a[3]={x,x+=1,x};
  return p.a+p.b*3+c.a*5+c.b*7+q.a*11+q.b*13+d.a*17+d.b*19+a[0]*23+a[1]*29+a[2]*31;
}

// == continue_in_a_switch_ends_objects
struct G {
  int* c;
  __device__ G(int*p):c(p) {}
  __device__ ~G() { *c=*c*3+1; }
};
__device__ int test(int t) {
  int c=t%5;
  for(int j=0;j<5;++j) {
    G g(&c);
    switch((j+t)%3) {
      case 0: { G h(&c); continue; }
      case 1: { G h(&c); break; }
    }
    c+=2;
    do { G h(&c); switch(j) { case 2: continue; default: break; } c+=5; } while(0);
  }
  return c;
}

// == variables_of_conditions_end_each_round
struct T {
  int* l;
  __device__ T(int*p):l(p) { *l+=1; }
  __device__ ~T() { *l+=100; }
  __device__ operator bool() const { return *l%100<4; }
};
__device__ int test(int t) {
  int l=0,m=0,s=0;
  while(T a{&l}) {
    if(t%3==1&&l>150) break;
    if(t%3==2) continue;
    s+=l;
  }
  for(int i=0;T a{&m};s+=i,++i) {
    if(i==t%4) continue;
    if(i==t%7) break;
    s*=3;
  }
  return l+m*7+s*11;
}

// == items_of_a_range_end_each_round
struct I {
  int v;
  int* n;
  __device__ I(int x,int*p):v(x),n(p) {}
  __device__ I(const I& o):v(o.v+100),n(o.n) { *n+=1; }
  __device__ ~I() { *n=*n*2%10007; }
};
struct R {
  I* p;
  __device__ I* begin() { return p; }
  __device__ I* end() { return p+2; }
};
__device__ int test(int t) {
  int n=t,s=0;
  I m[2]={I(1,&n),I(t,&n)};
  for(auto x:m) { if(x.v%2) continue; s+=x.v; }
  for(I x:R{m}) { s+=x.v*3; if(t%3==0) break; }
  for(const I& x:m) s+=x.v*5;
  return s+n;
}

// == guards_over_lambdas
template<class F> struct Defer {
  F f;
  __device__ Defer(F g):f(g) {}
  __device__ ~Defer() { f(); }
};
template<class F> struct Once {
  F f;
  bool on;
  __device__ Once(F g):f(g),on(true) {}
  __device__ Once(const Once& o):f(o.f),on(false) {}
  __device__ ~Once() { if(on) f(); }
};
template<class F> __device__ Defer<F> defer(F f) { return Defer<F>(f); }
template<class F> struct Plain {
  F f;
  ~Plain() { f(); }
};
template<class F> struct Twice {
  Defer<F> one,two;
  __device__ Twice(F f):one(f),two(f) {}
};
__device__ int test(int t) {
  int c=t;
  {
    Defer d([&]{ c=c*2+1; });
    auto e=defer([&,t]{ c=c*3+t; });
    Once o([&]{ c+=1000; });
    auto p=o;
    Twice w([&]{ c=c*5%977; });
    if(t%2) { auto again=defer([&]{ c+=11; }); c+=1; }
    c+=7;
  }
  for(int i=0;i<3;++i) { Defer d([&]{ c+=i*i; }); if(i==t%3) continue; c*=2; }
  Defer<void(*)()> none([]{});
  return c;
}

// == templates_over_local_types
template<class T> struct Box {
  T v;
  int n=0;
  __device__ Box(const T& x):v(x) {}
  __device__ Box(const Box& b):v(b.v),n(b.n+1) {}
  __device__ Box& operator=(const Box& b) { v=b.v; n+=b.n*10; return *this; }
  __device__ ~Box() {}
};
__device__ int test(int t) {
  struct L { int q; };
  Box<L> b(L{t});
  Box<L> c=b,d=c;
  b=d;
  auto l=[=](int x) { return x*t; };
  Box<decltype(l)> k(l),m=k;
  return c.n+d.n*3+b.n+d.v.q+m.v(3)+m.n;
}

// == choices_of_references_run_one_side
struct S {
  int v;
  __device__ S& up(int by) { v+=by; return *this; }
};
__device__ int& inc(int& x) {
  ++x;
  return x;
}
__device__ int& deep(int*p,int n) {
  return n==0?*p:deep(p+1,n-1);
}
__device__ int test(int t) {
  int x=0,y=0,m[8]={},u=0,v=0;
  int& q=t%3?inc(x):inc(y);
  q+=10;
  (t%2?m[u++]:m[v++])=5+t;
  (t%5?inc(x):y)*=3;
  deep(m,t%7)+=2;
  S a{t},b{1};
  (t%2?a.up(1):b.up(2)).v*=3;
  const int& r=t%3?x:t%2?inc(y):m[1];
  (t%4==0?u:t%4==1?v:inc(x))+=100;
  int s=0;
  for(int i=0;i<8;++i) s=s*3+m[i];
  return x+y*3+u*5+v*7+s+a.v+b.v*11+r*13;
}

// == a_choice_without_its_middle
__device__ int next(int& n) {
  return n++;
}
__device__ int test(int t) {
  int n=t%3;
  int a=next(n)?:9;
  const int* none=nullptr;
  const int* p=none?:&n;
  double d=(t%4)?:2.5;
  return a+n*10+*p*100+(int)(d*1000)+(t?:-1)+((t%2==0)?:7);
}

// == bits_as_another_type
struct U2 {
  unsigned a,b;
};
__device__ int test(int t) {
  U2 u=__builtin_bit_cast(U2,t*1.7);
  float f=t*1.25f;
  return __builtin_bit_cast(int,f)%1009+u.a%1000+u.b%1000+__builtin_bit_cast(unsigned,f)%31;
}

// == values_are_zero_at_first
struct Z {
  int a[3];
  float b;
};
struct Y {
  int x;
  Z z;
  int k=5;
};
struct H : Z {
  Z z;
  int n[8];
  __device__ H():Z(),z(),n() {}
};
__device__ int spoil(int t) {
  Z z;
  for(int i=0;i<3;++i) z.a[i]=t+1000;
  return z.a[t%3];
}
__device__ int test(int t) {
  int s=0;
  for(int i=0;i<3;++i) {
    Z z=Z();
    Y y=Y();
    Y* w=new Y();
    H h;
    s+=z.a[1]+y.x+y.z.a[2]+y.k+w->z.a[t%3]+w->k+h.a[0]+h.z.a[2]+h.n[t%8];
    z.a[1]=y.x=y.z.a[2]=w->x=h.n[t%8]=h.a[0]=spoil(t);
    delete w;
  }
  return s+Z().a[t%3]+Y().k;
}

// == members_of_templates_by_their_own_name
#define VALUE(v) v.x
#define GOT(v) v.get<2>()
struct V {
  int x=5;
  template<int I> __device__ int& get() { return x; }
  template<class F,int N> __device__ int run(F f) { return f(x)+N; }
  template<int I> __device__ static int fixed() { return I; }
  __device__ int go(int t) {
    auto l=[&](int a) { return a*t; };
    get<3>()+=t;
    return get<3>()+this->get<2>()+run<decltype(l),4>(l)+fixed<7>();
  }
};
__device__ int test(int t) {
  V v;
  return v.go(t)+v.get<1>()+VALUE(v)+GOT(v);
}

// == members_begin_with_other_members
struct B {
  int a=1,b=a+1,c=b*2;
};
struct A {
  int n[2]={3,4};
  int m=n[1]+2;
};
struct O {
  int a=50;
  __device__ int run(int t) {
    B x;
    B y{t};
    B z{t,t};
    A w{{t,t+1}};
    A v;
    B*h=new B{t+3};
    int s=h->c;
    delete h;
    return x.c+y.c*3+z.c*5+w.m*7+v.m*11+s*13;
  }
};
__device__ int test(int t) {
  O o;
  B y{t};
  return o.run(t)+y.b;
}

// == ranges_of_parts_and_texts
struct P {
  int x,y;
};
__device__ int test(int t) {
  P m[3]={{1,2},{3,4},{t,5}};
  int s=0,n[2][2]={{1,2},{t,4}};
  for(auto [x,y]:m) { s+=x*y; x=0; }
  for(auto& [x,y]:m) { s+=x; x+=y; }
  for(const auto& [x,y]:m) s=s*3+x;
  for(auto& row:n) for(int& x:row) s+=x++;
  for(char c:"hey") s=s*5+c;
  return s+n[1][0];
}

// == loops_in_macros
#define NO_STEP(i,n) for(int i=0;i<n;)
#define NO_TEST(i) for(int i=0;;++i)
#define NO_START(i,n) for(;i<n;++i)
#define FOREVER for(;;)
#define ALL(i,n) for(int i=0;i<n;++i)
__device__ int test(int t) {
  int s=0,k=0;
  NO_STEP(j,6) { s+=j; j+=2; }
  NO_TEST(j) { if(j>t%5) break; s+=j*3; }
  NO_START(k,4) s+=k*t;
  FOREVER { if(++k>9) break; s+=k; }
  ALL(j,3) s*=2;
  return s;
}

// == temporaries_end_with_the_expression
struct T {
  int* l;
  int id;
  __device__ T(int*p,int i):l(p),id(i) { *l=(*l*10+id)%1000003; }
  __device__ T(const T& o):l(o.l),id(o.id+1) { *l=(*l*7+3)%1000003; }
  __device__ ~T() { *l=(*l*10+id+4)%1000003; }
};
__device__ int f(const T& t,int r=1) {
  *t.l=(*t.l*10+9)%1000003;
  return r;
}
__device__ int use(bool a,int b) {
  return a*2+b;
}
__device__ int test(int t) {
  int l=0;
  bool b=f(T(&l,1),t%2)&&f(T(&l,2),t%3)&&f(T(&l,3));
  int s=b;
  if(f(T(&l,1),t%2)||f(T(&l,2),t%3)) l+=1;
  s+=use(f(T(&l,4),t%3==0)||f(T(&l,5)),t%5);
  s+=use(t%2,t%5?f(T(&l,6),2):f(T(&l,7),3));
  const int& r=t%2?f(T(&l,1)):l;
  for(int i=0;f(T(&l,1))&&(i<2||f(T(&l,2),0));++i) l=l*3%1009;
  while(f(T(&l,8),s%2)&&f(T(&l,9))) s+=1;
  s+=!(f(T(&l,3),t%2)&&f(T(&l,2)));
  t%4?(void)f(T(&l,1)):(void)(f(T(&l,5)),f(T(&l,6)));
  return s+r+l%5003*16;
}

// == objects_that_refer_to_lambdas
template<class F> struct Ref {
  F& f;
  __device__ int run(int x) { return f(x); }
};
template<class F> struct Own {
  F f;
  int n=0;
  __device__ int run(int x) { return f(x)+n; }
};
template<class F> Own(F)->Own<F>;
template<class F> __device__ int twice(F& f,int x) { return f(x)+f(x+1); }
template<class F> __device__ auto after(F f) { return [f](int x) mutable { return f(x)*2; }; }
__device__ int test(int t) {
  int c=3,m[3]={t,2,3};
  auto l=[&](int x) { return x*c; };
  Ref<decltype(l)> q{l};
  auto n=[=](int x) mutable { m[1]+=x; return m[1]+m[0]; };
  Own o{n};
  auto copy=n;
  c=t;
  auto inner=[&l,copy](int x) mutable { return l(x)+copy(x); };
  int s=q.run(2)+o.run(1)+o.run(1)+n(5)+copy(7)+copy(7)+inner(4)+inner(4)+twice(inner,1)+after(n)(3)+n(1);
  auto count=[k=0]() mutable { return ++k; };
  auto other=count;
  count(); count();
  return s+count()*100+other()*1000;
}

// == lambdas_as_pointers
__device__ int apply(int (*f)(int),int x) {
  return f(x);
}
__device__ int test(int t) {
  int (*m[3])(int)={[](int a) { return a+1; },[](int a) { return a*2; },+[](int a) { return -a; }};
  auto l=[](int a) { return a*7; };
  int (*p)(int)=l;
  p=t%4?p:+[](int a) { return a*5; };
  return m[t%3](5)+apply(l,t)+apply([](int a) { return a-2; },t)+p(t);
}

// == gnu_words
__device__ int test(int t) {
  int r=0;
  unsigned u=0;
  long long w=0;
  bool a=__builtin_add_overflow(t,2147483600,&r),b=__builtin_sub_overflow((unsigned)t,30u,&u);
  bool c=__builtin_mul_overflow((long long)t*t,0x10000000000000LL,&w);
  return __extension__ (5+t)+(int)(__builtin_fabsf(t-9.5f)*2)+(int)__builtin_sqrt(t*t*1.0)+a*100+b*200+c*400
    +(int)__builtin_floor(t*.3)+r%1000+u%1000+(int)(w>>48);
}

// == captured_objects
struct L {
  int* log;
  int id;
  __device__ L(int* a,int b): log(a),id(b) { *log=*log*3+1; }
  __device__ L(const L& o): log(o.log),id(o.id) { *log=*log*3+id; }
  __device__ ~L() { *log=*log*5+id; }
};
struct Two { L a,b; int c[2]; };
template <class F> struct Holder { F f; };
template <class F> __device__ Holder<F> held(F f) { return {f}; }
template <class F> __device__ int twice(F f) { return f()+f(); }
__device__ int test(int t) {
  int log=0,s=0;
  {
    L l(&log,t%3);
    L pair[2]={l,l};
    Two two{l,{&log,2},{3,4}};
    auto f=[l] { return l.id; };
    auto g=f;
    auto h=[n=l,pair]() mutable { n.id++; return n.id+pair[1].id; };
    s=f()+g()*10+h()*100+h()*1000+twice([two] { return two.b.id+two.c[1]; })*10000;
    auto deep=[=] { return [l] { return l.id; }; };
    s+=deep()()+held(f).f();
  }
  return s+log;
}

// == bound_and_listed_objects
struct L {
  int* log;
  int id;
  __device__ L(int* a,int b): log(a),id(b) { *log=*log*3+1; }
  __device__ L(const L& o): log(o.log),id(o.id) { *log=*log*3+id; }
  __device__ L(L&& o): log(o.log),id(o.id+1) { *log=*log*7+id; }
  __device__ ~L() { *log=*log*5+id; }
};
struct Two { L a,b; };
__device__ Two make(int* log) { return {{log,1},{log,2}}; }
template <class T> __device__ T&& given_away(T& x) { return static_cast<T&&>(x); }
__device__ int test(int t) {
  int log=0,s=0;
  {
    Two two{{&log,t%3},{&log,2}};
    L array[2]={{&log,1},{&log,t%5}};
    auto [a,b]=two;
    auto [c,d]=array;
    auto&& [e,f]=make(&log);
    s=a.id+b.id*10+c.id*100+d.id*1000+e.id+f.id;
    Two listed[2]={two,make(&log)};
    Two more[2]={given_away(two),static_cast<Two&&>(listed[1])};
    s+=listed[0].b.id+listed[1].a.id+more[0].a.id*7+more[1].b.id*9;
  }
  return s+log;
}

// == bases_from_a_pack
struct F { __device__ int operator()(int x) const { return x+1; } };
struct G { int k; __device__ int operator()(float x) const { return x*k; } };
template <class... B> struct All : B... { using B::operator()...; };
template <class... B> All(B...) -> All<B...>;
template <class... B> struct Made : B... { using B::operator()...; __device__ Made(B... b) : B(b)... {} };
template <int I> struct Number { int at=I*10; };
template <int... I> struct Numbers : F,Number<I>... { int last=5; };
__device__ int test(int t) {
  All all{F{},G{3}};
  Made<F,G> made{F{},G{t}};
  auto lambdas=All{[=](int x) { return x*t; },[](float x) { return (int)(x*2); }};
  Numbers<1,4> numbers;
  numbers.Number<4>::at+=t;
  return all(t)+all(2.5f)*10+made(1.5f)*100+lambdas(3)+lambdas(1.5f)+numbers.Number<1>::at+numbers.Number<4>::at
    +numbers(t)+numbers.last;
}

// == functions_of_templates_in_lists
namespace inner { template <int n> __device__ int power(int x) { int r=1; for (int i=0;i<n;i++) r*=x; return r; } }
template <class T> __device__ T negated(T x) { return -x; }
__device__ int half(int x) { return x/2; }
__device__ float half(float x) { return x/2; }
struct S { template <int m> static __device__ int times(int x) { return m*x; } };
typedef int (*Function)(int);
struct Entry { Function f; int k; };
__device__ Function global[2]={inner::power<2>,negated<int>};
__device__ int test(int t) {
  Function all[]={inner::power<2>,&inner::power<3>,negated,half,S::times<4>};
  Entry entry{inner::power<3>,2},entries[2]={{negated<int>,1},{half,2}};
  static const Function fixed[2]={half,negated<int>};
  return all[t%5](t%9)+entry.f(entry.k)+entries[t&1].f(t)*3+fixed[t&1](t)*5+global[t&1](t%11);
}

// == lists_by_name
__device__ int total(std::initializer_list<int> list) { int s=0; for (int x : list) s+=x; return s; }
__device__ int test(int t) {
  auto list={1,2,t};
  std::initializer_list<int> other{t,4};
  const auto& third=list;
  return list.size()*100+*list.begin()+*(other.begin()+1)+total(list)*7+total(other)+third.begin()[2];
}

// == members_of_temporaries
struct L {
  int* log;
  int id;
  __device__ L(int* a,int b): log(a),id(b) { *log=*log*3+1; }
  __device__ L(const L& o): log(o.log),id(o.id) { *log=*log*3+id; }
  __device__ ~L() { *log=*log*5+id; }
  __device__ const L& same() const { return *this; }
};
struct Two { L a,b; };
__device__ Two make(int* log) { return {{log,1},{log,2}}; }
__device__ int test(int t) {
  int log=t%3,s=0;
  {
    const L& part=make(&log).b;
    s+=log*3+part.id;
    const int& number=Two{{&log,3},{&log,t%5}}.b.id;
    s+=log*7+number;
    const int ended=make(&log).a.same().id;
    s+=log*5+ended;
    for (int i=0;i<2;i++) {
      const int& other=L(&log,i).id;
      s+=log+other;
    }
  }
  return s+log;
}

// == members_of_nameless_unions
struct L {
  int* log;
  int id;
  __device__ L(int* a,int b): log(a),id(b) { *log=*log*3+1; }
  __device__ L(const L& o): log(o.log),id(o.id) { *log=*log*3+id; }
  __device__ ~L() { *log=*log*5+id; }
};
struct Maybe {
  bool has;
  union { L value; char nothing; };
  __device__ Maybe(): has(false),nothing(0) {}
  __device__ Maybe(const L& l): has(true),value(l) {}
  __device__ ~Maybe() { if (has) value.~L(); }
};
struct Tag {
  int kind;
  union { int i; float f; struct { short low,high; }; };
  struct { int x=4,y; };
  __device__ Tag(int a): kind(a),i(kind*3),y(a) {}
  __device__ Tag(float a): kind(1),f(a),y(kind) {}
  __device__ Tag(short a,short b): kind(2),low(a),high(b),x(kind),y(9) {}
};
union Word {
  unsigned word;
  unsigned char bytes[4]={1,2,3,4};
  __device__ Word() {}
  __device__ Word(unsigned w): word(w) {}
};
struct Set { int k; union { int i=7; float f; }; };
__device__ int test(int t) {
  int log=t%3,s=0;
  {
    Maybe none;
    L l(&log,t%4);
    Maybe one(l),other(L(&log,2));
    s=none.has+one.value.id*3+other.value.id;
  }
  Tag a(t),b(t*.5f),c(t,-t);
  Word w,v(t*77u);
  Set set{t};
  return s+log*3+a.i+a.x*100+a.y+(b.i>>3)+b.y%1000+c.i%10007+c.low+c.high*2+c.x+w.word%1009+v.bytes[0]+set.i*31;
}

// == bases_in_lists
struct A { int v; __device__ A(int x=1): v(x) {} __device__ virtual int f(int x) { return v+x; } };
struct B : A { int w; __device__ B(int x): A(x),w(x*2) {} __device__ int f(int x) override { return A::f(x)+w; } };
struct P { int x; __device__ P(int a): x(a) {} __device__ P(const P& o): x(o.x+1) {} };
struct Q : P { int y; __device__ Q(int a): P(a),y(a*5) {} };
__device__ int test(int t) {
  B b(t);
  A all[3]={b,t+3,A(2)};
  Q q(t);
  P some[2]={q,P(4)};
  return all[0].f(1)+all[t%3].f(2)*3+some[0].x*100+some[1].x;
}

// == designated_members_without_a_name
union U { int i; float f; unsigned char b[4]; };
struct S { int k; union { int a; float x; }; U u; };
struct Z { int k; struct { int a; float b; }; int e=5; };
struct N { struct { int q; }; int r; };
__device__ int test(int t) {
  U u={.f=t*.5f},v={.b={1,2,3,4}},w={};
  S s={.k=t,.x=1.5f,.u={.f=1}},r={1,{2},{3}};
  Z z={.k=1,.a=t,.b=2.5f},y={.b=1.5f,.e=2},x={1,{2,3},4},flat={1,2,t,4};
  N n={.q=t,.r=3};
  return (u.i>>8)+(v.i>>4)+w.i+(s.a>>9)+(s.u.i>>7)+s.k+r.a+r.u.i*9+z.a+(int)(z.b*100)+z.e+y.a+(int)(y.b*10)+y.e+y.k
    +x.a*3+(int)x.b*5+x.e*7+(int)flat.b*11+flat.e*13+n.q*17+n.r;
}

// == static_tables
__device__ int table(int i) {
  static const int primes[] = {2, 3, 5, 7, 11};
  static constexpr float halves[2][2] = {{0.5f, 1.5f}, {2.5f, 3.5f}};
  static const char letters[] = "abcdef";
  static const int n = 5;
  return primes[i % n] * 100 + (int)(halves[i & 1][i / 2 & 1] * 2) + letters[i % 6];
}
__device__ int test(int t) { return table(t) + table(t + 1); }

// == texts_of_the_device
__device__ const char* names[] = {"zero", "one", "twenty"};
__constant__ const char* const more[2] = {"x", "yz"};
__device__ const char* title = "abc";
__device__ int target = 4;
__device__ int* first = &target;
__device__ int length(const char* s) { int n = 0; while (s[n]) ++n; return n; }
__device__ int test(int t) { return length(names[t % 3]) * 100 + names[t % 3][1] + length(more[t & 1]) + title[t % 3] * *first; }

// == packed_structs
struct __attribute__((packed)) P { char c; int i; short s; double d; float f[2]; };
#pragma pack(push, 1)
struct Q { unsigned char a; unsigned long long b; P p; };
#pragma pack(pop)
__device__ int sum(const Q* q) { return q->a + (int)q->b + q->p.c + q->p.i + q->p.s + (int)(q->p.d * 2) + (int)q->p.f[1]; }
__device__ int test(int t) {
  Q q[2] = {};
  for (int k = 0; k < 2; ++k) {
    q[k].a = t + k; q[k].b = t * 1000ull; q[k].p.c = -t; q[k].p.i = t * t; q[k].p.s = 7;
    q[k].p.d = t * 0.5; q[k].p.f[1] = t + 0.5f; q[k].p.i += 3; q[k].p.s++;
  }
  P copy = q[t & 1].p;
  q[0].p = copy;
  return sum(&q[t & 1]) * 3 + (int)sizeof(P) * 100 + (int)sizeof(Q) + copy.i + sum(q);
}

// == members_chosen_at_run_time
struct S { int x, y; float z[2]; __device__ int get(int a) const { return x * a; } __device__ int put(int a) { return y += a; } };
struct D : S { int w; };
__device__ int of(const S& s, int S::*p) { return s.*p; }
template <int S::*p> __device__ int fixed(const S* s) { return s->*p; }
__device__ int test(int t) {
  D s = {};
  s.x = t; s.y = 2 * t; s.w = 5;
  int S::*p = t % 3 ? &S::x : &S::y;
  int S::*none = nullptr;
  s.*p += 10;
  S* q = &s;
  q->*p *= 2;
  int (S::*f)(int) const = &S::get;
  int (S::*g)(int) = &S::put;
  int D::*w = t % 2 ? &D::w : p;
  return of(s, p) + (q->*f)(3) + (s.*g)(t) + s.y * 100 + (none == nullptr) + (p == &S::x) * 7 + fixed<&S::y>(&s) + (p ? 1 : 0) + s.*w;
}

// == member_of_a_temporary_lives_on
struct L { int* p; int v; __device__ L(int* p, int v) : p(p), v(v) {} __device__ ~L() { *p = *p * 2 + 1; } };
struct H { L member; int n; };
__device__ H f(int* p, int t) { return H{L(p, t), 3}; }
__device__ int test(int t) {
  int s = t;
  {
    auto&& n = f(&s, t).member;
    const int& k = f(&s, t).n;
    auto&& whole = f(&s, t + 1);
    const H& other = f(&s, 5);
    s += n.v * 1000 + k + whole.member.v + other.n;
  }
  return s;
}

// == tables_of_methods
struct Machine {
  int v;
  __device__ int twice(int a) { return v += 2 * a; }
  __device__ int less(int a) { return v -= a; }
  __device__ virtual int own(int a) { return v + a; }
  __device__ virtual ~Machine() {}
};
struct Other : Machine {
  int w = 9;
  __device__ int own(int a) override { return w * a + v; }
};
typedef int (Machine::*Step)(int);
__device__ int run(Machine& m, Step f, int a) { return f ? (m.*f)(a) : -1; }
__device__ int test(int t) {
  const Step steps[] = {&Machine::twice, &Machine::less, nullptr, &Machine::own};
  int (*plain)(int) = [](int a) { return a * 3; };
  Machine m;
  Other o;
  m.v = t;
  o.v = t * 2;
  int s = plain(t);
  for (int i = 0; i < 4; ++i) s = s * 3 + run(m, steps[(i + t) & 3], i + 1) + run(o, steps[i], t);
  return s + m.v + o.v;
}

// == packed_bit_fields
#pragma pack(push, 1)
struct Header {
  unsigned char version : 4, length : 4;
  unsigned short size;
  unsigned flags : 3, offset : 13, more : 16;
  unsigned long long id;
};
#pragma pack(pop)
struct Plain {
  char c;
  Header h;
  float f;
};
__device__ int test(int t) {
  Plain p[3] = {};
  for (int i = 0; i < 3; ++i) {
    p[i].h.version = t;
    p[i].h.length = i;
    p[i].h.size = t * 1000;
    p[i].h.flags = t;
    p[i].h.offset = t * 99;
    p[i].h.more = t * 3;
    p[i].h.id = 1ull << (t & 31);
    p[i].f = t;
  }
  const Header& h = p[t % 3].h;
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(&p[1]);
  int s = sizeof(Plain) + 100 * sizeof(Header);
  for (unsigned i = 0; i < sizeof(Plain); ++i) s = s * 31 + bytes[i];
  return s + h.version + h.length * 3 + h.size + h.flags + h.offset + h.more + (int)(h.id >> 3) + (int)p[2].f;
}

// == tuple_made
__device__ std::tuple<int, float, char> make(int t) { return {t, t * 0.5f, 'a'}; }
__device__ int test(int t) {
  auto p = make(t);
  return std::get<0>(p) + std::get<2>(p);
}

// == tuple_more
__device__ int test(int t) {
  auto p = std::make_tuple(t + 1, t * 2.5f);
  int x; float y;
  std::tie(x, y) = p;
  std::get<0>(p) += 5;
  return x * 3 + (int)y + std::get<0>(p) + (int)std::tuple_size<decltype(p)>::value;
}

// == tuple_bound
__device__ std::tuple<int, float, char> make(int t) { return std::make_tuple(t, t * 0.5f, 'a'); }
__device__ int test(int t) {
  auto [a, b, c] = make(t);
  int s = a + (int)b * 10 + c;
  auto q = make(t + 1);
  auto& [d, e, f] = q;
  d += 5;
  std::tie(a, std::ignore, c) = q;
  return s * 3 + d + (int)e + f + a * 7 + std::apply([](int x, float y, char z) { return x + (int)y + z; }, q) + (q < make(t)) + (make(t) == make(t));
}

// == optional
__device__ std::optional<int> half(int t) { if (t % 2) return std::nullopt; return t / 2; }
__device__ int test(int t) {
  auto h = half(t);
  if (h) return *h * 10 + h.value_or(3);
  return half(t + 1).value_or(-1);
}

// == parts_of_what_a_function_returns
struct L { int* p; int v; __device__ L(int* p, int v) : p(p), v(v) {} __device__ L(const L& o) : p(o.p), v(o.v + 1) { *p += 3; } __device__ ~L() { *p = *p * 2 + v; } };
struct H { L member; int a[3]; L two[2]; __device__ H(int* p, int t) : member(p, t), a{t, 2, 3}, two{{p, 1}, {p, 2}} {} __device__ ~H() { *member.p += 100; } };
__device__ H f(int* p, int t) { return H(p, t); }
__device__ int test(int t) {
  int s = t;
  { auto&& n = f(&s, t).member; s += n.v; }
  { auto&& n = f(&s, t).a; s += n[0]; }
  { const int& n = f(&s, t).a[1]; s += n; }
  { auto&& n = f(&s, 2).two[1]; s += n.v; }
  { auto n = f(&s, t).member; s += n.v; }
  return s;
}

// == members_of_objects_made_here
struct L { int* p; int v; __device__ L(int* p, int v) : p(p), v(v) {} __device__ ~L() { *p = *p * 2 + v; } };
struct H { L member; __device__ H(int* p, int t) : member(p, t) {} __device__ const L& get() const { return member; } };
__device__ int use(const L& l) { return l.v * 3; }
__device__ int test(int t) {
  int s = t;
  { int k = use(H(&s, t).member) + s; s += k; }
  { const L& n = H{&s, t}.member; s += n.v; }
  { L&& n = H(&s, 4).member; n.v += 2; s += n.v; }
  { const auto& h = static_cast<const H&>(H(&s, 5)); s += h.member.v; }
  if (const L& n = H(&s, 1).member; n.v) s += 7;
  for (auto&& n = H(&s, t).member; n.v < 70; n.v += 30) s += n.v;
  return s;
}

// == members_of_members
struct L { int* p; int v; __device__ L(int* p, int v) : p(p), v(v) {} __device__ ~L() { *p = *p * 2 + v; } };
struct In { L l; int q; }; struct Out { In in; In* self; };
__device__ Out f(int* p, int t) { return Out{In{L(p, t), 4}, nullptr}; }
__device__ int test(int t) {
  int s = t;
  { auto&& n = f(&s, t).in.l; s += n.v; }
  { auto&& q = f(&s, 3).in.q; s += q; }
  { auto&& [in, self] = f(&s, t); s += in.q; }
  { auto&& q = (f(&s, 3).in).q; s += q; }
  { const int& q = t % 2 ? f(&s, 3).in.q : s; s += q; }
  return s;
}

// == assigned_in_registers
struct C { int* p; int v; __device__ C(int* p, int v) : p(p), v(v) { *p = *p * 3 + 1; } __device__ C(const C& o) : p(o.p), v(o.v + 1) { *p = *p * 5 + 2; } __device__ C(C&& o) : p(o.p), v(o.v) { o.v = -1; *p = *p * 7 + 3; } __device__ C& operator=(const C& o) { v = o.v * 2; *p = *p * 11 + 4; return *this; } __device__ ~C() { *p = *p * 13 + v; } __device__ int* q() { return p; } __device__ void v0() { v = 3; } __device__ int get() const { return v; } };
__device__ C make(int* p, int t) { return C(p, t); }
__device__ int test(int t) { int s = t; { C a(&s, t), b(&s, 1); a = b; b = make(&s, 3); a = C(&s, 4); a = make(&s, 5); s += a.get() + b.get(); } return s; }

// == assigned_in_memory
struct C { int a[3]; int* p; int v; __device__ C(int* p, int v) : a{v, 1, 2}, p(p), v(v) { *p = *p * 3 + 1; } __device__ C(const C& o) : a{o.a[1], o.a[2], o.a[0]}, p(o.p), v(o.v + 1) { *p = *p * 5 + 2; } __device__ C(C&& o) : a{7, 8, 9}, p(o.p), v(o.v) { o.v = -1; *p = *p * 7 + 3; } __device__ C& operator=(const C& o) { v = o.v * 2; a[1] = o.a[0]; *p = *p * 11 + 4; return *this; } __device__ ~C() { *p = *p * 13 + v + a[0]; } __device__ int* q() { return p; } __device__ void v0() { v = 3; } __device__ int get() const { return v + a[1]; } };
__device__ C make(int* p, int t) { return C(p, t); }
__device__ int test(int t) { int s = t; { C a(&s, t), b(&s, 1); a = b; b = make(&s, 3); a = C(&s, 4); a = make(&s, 5); s += a.get() + b.get(); } return s; }

// == assigned_part_by_part
struct I { int* p; int v; __device__ I(int* p, int v) : p(p), v(v) { *p = *p * 3 + 1; } __device__ I(const I& o) : p(o.p), v(o.v + 1) { *p = *p * 5 + 2; } __device__ I& operator=(const I& o) { v = o.v * 2; *p = *p * 11 + 4; return *this; } __device__ ~I() { *p = *p * 13 + v; } }; struct C { I i; int a[2]; __device__ C(int* p, int v) : i(p, v), a{v, v + 1} {} __device__ int* q() { return i.p; } __device__ void v0() { i.v = 3; } __device__ int get() const { return i.v + a[1]; } };
__device__ C make(int* p, int t) { return C(p, t); }
__device__ int test(int t) { int s = t; { C a(&s, t), b(&s, 1); a = b; b = make(&s, 3); a = C(&s, 4); a = make(&s, 5); s += a.get() + b.get(); } return s; }

// == chosen_and_copied_part_by_part
struct I { int* p; int v; __device__ I(int* p, int v) : p(p), v(v) { *p = *p * 3 + 1; } __device__ I(const I& o) : p(o.p), v(o.v + 1) { *p = *p * 5 + 2; } __device__ I& operator=(const I& o) { v = o.v * 2; *p = *p * 11 + 4; return *this; } __device__ ~I() { *p = *p * 13 + v; } }; struct C { I i; int a[2]; __device__ C(int* p, int v) : i(p, v), a{v, v + 1} {} __device__ int* q() { return i.p; } __device__ void v0() { i.v = 3; } __device__ int get() const { return i.v + a[1]; } };
__device__ C make(int* p, int t) { return C(p, t); }
__device__ int test(int t) { int s = t; { C a(&s, t), b(&s, 1); C c = t & 1 ? a : b; const C& d = t & 2 ? a : b; s += c.get() + d.get() + (t & 1 ? make(&s, 2) : make(&s, 3)).get(); C e = t % 3 ? make(&s, 6) : C(&s, 7); s += e.get(); } return s; }

// == members_copied_part_by_part
struct I { int* p; int v; __device__ I(int* p, int v) : p(p), v(v) { *p = *p * 3 + 1; } __device__ I(const I& o) : p(o.p), v(o.v + 1) { *p = *p * 5 + 2; } __device__ I& operator=(const I& o) { v = o.v * 2; *p = *p * 11 + 4; return *this; } __device__ ~I() { *p = *p * 13 + v; } }; struct C { I i; int a[2]; __device__ C(int* p, int v) : i(p, v), a{v, v + 1} {} __device__ int* q() { return i.p; } __device__ void v0() { i.v = 3; } __device__ int get() const { return i.v + a[1]; } };
struct W { C c; int n; __device__ W(int* p, int t) : c(p, t), n(t) {} __device__ W(const C& o) : c(o), n(1) {} }; struct A { C c; int n; }; __device__ A agg(int* p, int t) { return {C(p, t), 4}; } __device__ A agg2(int* p, int t) { A a{C(p, t), 4}; a.n += t; return a; }
__device__ int test(int t) { int s = t; { W w(&s, t); W x = w; W y(w.c); x = y; A a{C(&s, 2), 3}; A b = a; A c = agg(&s, t); A d = agg2(&s, t); d = c; s += x.c.get() + y.c.get() + b.c.get() + c.n + d.c.get(); C e = agg(&s, t).c; s += e.get(); } return s; }

// == results_of_operators_end
struct C { int a[3]; int* p; int v; __device__ C(int* p, int v) : a{v, 1, 2}, p(p), v(v) { *p = *p * 3 + 1; } __device__ C(const C& o) : a{o.a[1], o.a[2], o.a[0]}, p(o.p), v(o.v + 1) { *p = *p * 5 + 2; } __device__ C(C&& o) : a{7, 8, 9}, p(o.p), v(o.v) { o.v = -1; *p = *p * 7 + 3; } __device__ C& operator=(const C& o) { v = o.v * 2; a[1] = o.a[0]; *p = *p * 11 + 4; return *this; } __device__ ~C() { *p = *p * 13 + v + a[0]; } __device__ int* q() { return p; } __device__ void v0() { v = 3; } __device__ int get() const { return v + a[1]; } };
__device__ C make(int* p, int t) { return C(p, t); } __device__ C operator+(const C& a, const C& b) { return C(const_cast<C&>(a).q(), a.get() + b.get()); }
__device__ int test(int t) { int s = t; { C a(&s, t); C b = a + make(&s, 2); s += (a + b).get(); const C& c = a + a; s += c.get(); (void)(a + b); make(&s, 1), s += 2; } return s; }

// == object_before_arguments
struct Cell {
  int v[4];
  __device__ int& operator[](int at) { return v[at]; }
  __device__ void set(int value) { v[0] = value; }
  __device__ int get(int value) const { return v[0] * 10 + value; }
  __device__ Cell& operator+=(int value) {
    v[0] += value;
    return *this;
  }
};
__device__ int test(int t) {
  Cell cells[4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};
  Cell* p = cells;
  int i = t % 3;
  cells[i].set(i++ + 20);
  int s = cells[i][i--];
  s = 31 * s + p->get((++p, 5));
  s = 31 * s + p->v[0];
  cells[i] += i++;
  for (Cell& one : cells) s = 31 * s + one[0] + i;
  return s % 65521;
}

// == else_in_macro
#define CHOOSE(test, one, other) if (test) one; else other;
#define KEEP_SMALLER(a, b) if ((a) < (b)) (b) = (a); else (a) = (b)
#define WITH(first, test, then) if (first; test) then;
#define OTHERWISE else
__device__ int test(int t) {
  int a = t % 5, b = 3;
  bool odd = false;
  CHOOSE(a == 0, a = 7, b = 9)
  CHOOSE(t % 2, odd = true, odd = false)
  WITH(int q = t % 3, q > 1, b += q)
  if (odd) b *= 2; OTHERWISE b += 1;
  if (odd = t % 4; odd) b += 40;
  KEEP_SMALLER(a, b);
  if (a) if (b == 3) a += 100; else a += 200;
  return a * 1000 + b;
}

// == loop_in_macro
#define WHILE_BELOW(i, n) for (i = 0; i < n;)
#define EACH(p, a) for (p = a; *p;)
#define COUNT(i, n) for (int i = 0; i < n; ++i)
#define DOWN(i) for (; i; --i)
#define LOOP(start, test, step) for (start; test; step)
#define FOREVER(step) for (;; step)
__device__ int test(int t) {
  int i, s = 0, a[4] = {1, 2, 3, 0}, *p;
  WHILE_BELOW(i, t % 5) s += i++;
  EACH(p, a) s = 3 * s + *p++;
  COUNT(k, t % 7) s += k;
  DOWN(i) s = 2 * s + i;
  LOOP(int k = 1, k < t, k *= 2) s += k;
  FOREVER(++i) if (i > 4) break;
  return s * 10 + i;
}

// == memory_in_templates
template <class A, class B> struct Two { A a; B b; };
template <class T> struct Grown {
  T* data = nullptr;
  size_t used = 0, room = 0;
  __device__ ~Grown() { delete[] data; }
  __device__ void push(const T& value) {
    if (used == room) {
      T* more = new T[room = room ? 2 * room : 2];
      for (size_t i = 0; i < used; ++i) more[i] = data[i];
      delete[] data;
      data = more;
    }
    data[used++] = value;
  }
};
template <class T, int N> __device__ int cleared(int t) {
  T* a = new T[t % 5 + 1](), *b = new T[N]{}, *c = new T[2]{T(t), 3};
  auto* rows = new /* several; all zero */ T[t % 3 + 1][N]();
  auto* pairs = new Two<T, Two<int, T>>[N]{};
  T** pointers = new T*[N + 1];
  pointers[N] = new T(a[t % 5] + b[N - 1] + c[0] + 7 * c[1] + rows[t % 3][N - 1] + pairs[N - 1].b.b);
  int found = *pointers[N];
  delete pointers[N];
  delete[] pointers;
  delete[] pairs;
  delete[] rows;
  delete[] c; delete[] b; delete[] a;
  return found;
}
template <class T> __device__ T placed(int t) {
  alignas(T) char room[2 * sizeof(T)];
  T* first = new (room) T(t), *second = new (room + sizeof(T)) T;
  *second = t > 3 ? *new (first) T(t + 1) : *first;
  return *first * 10 + *second;
}
__device__ int test(int t) {
  Grown<int> grown, other;
  int s = 0;
  for (int i = 0; i <= t; ++i) grown.push(i * t), other.push(i);
  for (int i = 0; i <= t; ++i) s += grown.data[i] * 3 + other.data[i];
  return s + 1000 * cleared<short, 4>(t) + placed<int>(t) + (int)placed<double>(t);
}

// == constructors_of_a_base_with_the_same_name
struct Root {
  int m, n, g;
  __device__ Root(int a, int b, int c) : m(a), n(b), g(c) {}
};
struct Group : Root { using Root::Root; __device__ Group(int x) : Root(x, 0, 1) {} };
template <int Size, class Parent = void> class Tile;
template <int Size> class Tile<Size, void> : public Group {
 public:
  __device__ Tile(int a, int b, int c) : Group(a, b, c) {}
  __device__ int size() const { return Size + n; }
};
template <int Size, class Parent> class Tile : public Tile<Size, void> {
 public:
  using Tile<Size, void>::Tile;
  int more = 4;
};
template <int Size, class Parent> __device__ Tile<Size, Parent> part_of(const Parent& p, int t) {
  return Tile<Size, Parent>(5, t / Size, p.m);
}
template <class... T> struct List {};
template <class T, class... More> struct List<T, More...> : List<More...> {
  T own;
  __device__ List(T value, More... more) : List<More...>(more...), own(value) {}
  __device__ int total() const {
    if constexpr (sizeof...(More) > 0) return own + List<More...>::total(); else return own;
  }
};
__device__ int test(int t) {
  Root root(1, 2, 3);
  auto a = part_of<8>(root, t);
  Tile<8> b = a;
  Tile<4, Tile<8>> c = part_of<4>(b, t);
  Tile<4> d = c;
  Group g(t), h(t, 2, 3);
  return a.m * 1000 + a.n * 100 + a.g * 10 + a.more + b.size() + c.n + d.m + g.g + h.n * 7 + List<int, short, char>(t, 2, 3).total();
}

// == bases_in_namespaces
namespace one {
template <class T> struct Base { T x = 3; __device__ T twice() const { return 2 * x; } };
template <class T> struct Derived : Base<T> { int y = 4; };
namespace two {
template <class T, int N> struct Third : Derived<T>, public Base<char> { int z = N; };
namespace { template <class T> struct Hidden : Derived<T> { using Own = T; }; }
}
inline namespace three { template <class Policy> struct Host : Policy, Base<double> {}; }
}
__device__ int test(int t) {
  one::Derived<int> a;
  one::two::Third<short, 5> b;
  one::two::Hidden<long> c;
  one::Host<one::two::Third<int, 7>> d;
  a.x = t;
  one::Base<int>& base = a;
  base.x += 1;
  d.z += t;
  return a.twice() + 10 * b.y + 100 * (b.z + static_cast<one::Base<char>&>(b).x) + 1000 * (int)c.twice() + d.z + sizeof d;
}

// == types_of_both
template <class A, class B> __device__ std::common_type_t<A, B> larger(A a, B b) { return a > b ? a : b; }
struct Pair { double a; int b; __device__ Pair(double x, int y) : a(x), b(y) {} };
template <class T, int N> struct Pool {
  std::aligned_storage_t<sizeof(T), alignof(T)> room[N];
  template <class... A> __device__ T* make(int i, A... a) { return new (&room[i]) T(a...); }
};
__device__ int test(int t) {
  Pool<Pair, 3> pool;
  int found = pool.make(t % 3, t * 0.5, 7)->b + (int)(2 * larger(t, 2.5));
  return found * 100 + sizeof pool + std::is_same<std::common_type_t<int, char, long>, long>::value;
}

// == method_of_a_base_that_is_a_parameter
struct Shape {
  __device__ virtual int id() const { return 1; }
  __device__ virtual int operator()(int x) const { return x; }
  __device__ virtual ~Shape() {}
};
template <int I, class B = Shape> struct Layer : B {
  int extra = I;
  __device__ int id() const override { return I + 10 * B::id(); }
  __device__ int operator()(int x) const override { return B::operator()(x + 1) * extra; }
};
__device__ int test(int t) {
  Layer<2, Layer<3>> layers;
  layers.extra = t;
  const Shape& shape = layers;
  return shape.id() * 100 + shape(t) + layers.Layer<3>::id();
}
