#!/usr/bin/env python3
"""class_members.py counts what keeps state, refuses what is above, and refuses exceptions that may go."""
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
import class_members  # noqa: E402

SIX = "int a_, b_ = f(1, 2); std::map<int, std::string> c_{}; double (*d_)(int x, int y); const char* e_; std::mutex f_;"
failed = []


def expect(expected, sources, exceptions=""):
    """`expected`: the beginning of each complaint about the files of src/a."""
    with tempfile.TemporaryDirectory() as tree:
        folder = pathlib.Path(tree) / "src/a"
        folder.mkdir(parents=True)
        for name, text in sources.items():
            (folder / name).write_text(text)
        found = list(class_members.complaints(pathlib.Path(tree), exceptions))
    if [text[:len(begin)] for text, begin in zip(found, expected)] != expected or len(found) != len(expected):
        failed.append(f"{sources} with {exceptions!r}: {found}, expected {expected}")


def of(body, head="class A"):
    return {"a.hpp": f"// A comment: class B {{\nnamespace x {{\n{head} {{\n public:\n{body}\n}};\n}}\n"}


TWELVE = SIX + SIX.replace("_", "2_")
expect([], of(TWELVE))
expect(["src/a/a.hpp:3: A has 13 mutable members and 0 bools, more than 12 or 4"], of(TWELVE + "int last_;"))
expect(["src/a/a.hpp:4: A has 13 "], of(TWELVE + "T last_;", "template <class T, class U = B<int>>\nstruct A final : B<T>"))
# neither members nor state
NO_MEMBERS = """
  explicit A(int x) : a_(x), b_{x} {}
  const int g_ = 1; static int h_; static constexpr int i_ = 1; int& j_; int* const k_; struct B; friend class C;
  // std::string l_;
  using D = int; template <class T> using E = std::vector<T>;
#define M "}" using F = int; int m_ = 0;
  bool operator==(const A&) const; using F = int; enum class G { one, two };
  std::vector<int> n() const { return {}; } void o(bool a, bool b);
  template <class T> void p(T x, bool y = false) const { struct Local { int z_; }; }"""
expect([], of(TWELVE + NO_MEMBERS))
expect(["src/a/a.hpp:3: A has 13 "], of(TWELVE + NO_MEMBERS + "enum class H { three } last_;"))
DATA = TWELVE.replace("_", "") + "int last = 0;"
CONST = "A() : a{1} {} ~A(); A(const A&) = delete; A& operator=(const A&) = default; bool f() const; static A read(int);"
expect([], of(DATA + CONST, "struct A"))
expect(["src/a/a.hpp:3: A has 13 "], of(DATA + CONST + "void add(int x);", "struct A"))
# bools
FOUR = "mutable bool p_ = false, q_; std::atomic<bool> r_{false}; std::optional<bool> s_; const bool t_; std::vector<bool> u_;"
expect([], of(FOUR))
expect(["src/a/a.hpp:3: A has 6 mutable members and 5 bools"], of(FOUR + "bool v_ = false;"))
# nested structs count in the place of their members, unless they keep state, or stand in a container
NESTED = "struct B { int a, b; bool c; void f() const; };"
expect(["src/a/a.hpp:3: A has 13 mutable members and 2 bools"], of(SIX + NESTED + "B g_; std::optional<B> h_; int i_;"))
expect([], of(SIX + NESTED.replace("const", "") + "B g_; std::optional<B> h_; int i_;"))
expect([], of(TWELVE.replace("int a_", "std::vector<B> a_") + NESTED))
IMPL = of("private: struct Impl; std::unique_ptr<Impl> impl_;")
expect(["src/a/a.hpp:3: A has 13 "], {**IMPL, "a.cpp": f"struct A::Impl {{ {DATA} }};"})
expect(["src/a/a.cpp:1: A::Impl has 13 "], {**IMPL, "a.cpp": f"struct A::Impl {{ {DATA} void f(); }};"})
# exceptions
ABOVE = of(TWELVE + "bool last_;")
expect([], ABOVE, "src/a/a.hpp | A | 13 1\n")
expect([], ABOVE, "src/a/a.hpp | A | 14 1\n")
expect(["src/a/a.hpp:3: A has 13 mutable members and 1 bools, more than 13 or 0"], ABOVE, "src/a/a.hpp | A | 13 0\n")
expect(["src/a/a.hpp:3: A has 13 mutable members and 1 bools, more than 12 or 1"], ABOVE, "src/a/a.hpp | A | 12 1\n")
expect(["src/a/a.hpp:3: A has 12 mutable members and 0 bools: its exception may go"], of(TWELVE), "src/a/a.hpp | A | 13 0\n")
expect(["src/a/b.hpp: A is an exception, but no class"], of(TWELVE), "src/a/b.hpp | A | 13 0\n")

print("\n".join(failed) or "all as expected")
sys.exit(bool(failed))
