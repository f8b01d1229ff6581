# SPDX-License-Identifier: Apache-2.0
# What the kernel links. Read by this build and, installed, by find_package(tacet).
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(OpenSSL COMPONENTS Crypto)
find_dependency(roaring)
find_dependency(PkgConfig)
pkg_check_modules(tacet_gmp REQUIRED QUIET IMPORTED_TARGET gmpxx gmp)
pkg_check_modules(tacet_mpfr REQUIRED QUIET IMPORTED_TARGET mpfr)
