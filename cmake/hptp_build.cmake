# How everything of ours is compiled: the language, the warnings and the sanitizers.
set(hptp_sanitizer_flags "")
if(HPTP_SANITIZE STREQUAL "address")
  set(hptp_sanitizer_flags -fsanitize=address,undefined -fno-sanitize-recover=all)
elseif(HPTP_SANITIZE STREQUAL "thread")
  set(hptp_sanitizer_flags -fsanitize=thread)
elseif(HPTP_SANITIZE)
  message(FATAL_ERROR "HPTP_SANITIZE is \"${HPTP_SANITIZE}\"; it can be address or thread.")
endif()
if(hptp_sanitizer_flags)
  list(APPEND hptp_sanitizer_flags -fno-omit-frame-pointer -g1)
endif()

function(hptp_build_like_ours target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(
    ${target} PRIVATE -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow
                      $<$<BOOL:${HPTP_WERROR}>:-Werror>)
  # Public, as a program cannot be linked with half of a sanitizer.
  target_compile_options(${target} PUBLIC ${hptp_sanitizer_flags})
  target_link_options(${target} PUBLIC ${hptp_sanitizer_flags})
endfunction()
