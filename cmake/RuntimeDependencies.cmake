# The libraries that the runtime links: read by this project's build, and installed for projects that link the runtime.
find_package(PkgConfig REQUIRED)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(LIBEDIT REQUIRED IMPORTED_TARGET libedit)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt REQUIRED)
