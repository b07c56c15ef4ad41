# Toolchain file: compiles for 64-bit ARM on another Linux machine and runs the result under
# qemu-user. The programs are static, so that qemu needs no loader and no libraries of that machine.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
find_program(HPTP_QEMU_AARCH64 NAMES qemu-aarch64 qemu-aarch64-static)
set(CMAKE_CROSSCOMPILING_EMULATOR ${HPTP_QEMU_AARCH64})
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
