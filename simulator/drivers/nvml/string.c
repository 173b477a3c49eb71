/* SPDX-License-Identifier: Apache-2.0
 *
 * What the driver needs of <string.h>, but for memcpy and memset, where libc's are worth their price. Taken from libc,
 * each of these names costs a third of a microsecond when the library is loaded, and the first call a page of libc that
 * nobody has touched so far. What is compared and searched here is short. Not in builds with sanitizers, which watch
 * libc's.
 *
 * Compiled without the compiler's knowledge of these functions, which would make calls of them of these loops.
 */
#include <stddef.h>
#include <stdint.h>

size_t strlen(const char* text) {
  const char* end = text;
  while (*end != '\0')
    ++end;
  return (size_t)(end - text);
}

int strcmp(const char* a, const char* b) {
  for (; *a != '\0' && *a == *b; ++a)
    ++b;
  return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char* a, const char* b, size_t size) {
  for (; size > 0; --size, ++a, ++b) {
    if (*a == '\0' || *a != *b) return (unsigned char)*a - (unsigned char)*b;
  }
  return 0;
}

char* strchr(const char* text, int wanted) {
  for (; *text != (char)wanted; ++text) {
    if (*text == '\0') return NULL;
  }
  return (char*)(uintptr_t)text;
}

char* strrchr(const char* text, int wanted) {
  const char* last = NULL;
  for (;; ++text) {
    if (*text == (char)wanted) last = text;
    if (*text == '\0') return (char*)(uintptr_t)last;
  }
}

char* strstr(const char* text, const char* wanted) {
  const size_t length = strlen(wanted);
  for (;; ++text) {
    if (strncmp(text, wanted, length) == 0) return (char*)(uintptr_t)text;
    if (*text == '\0') return NULL;
  }
}

void* memchr(const void* memory, int wanted, size_t size) {
  const unsigned char* at = memory;
  for (; size > 0; --size, ++at) {
    if (*at == (unsigned char)wanted) return (void*)(uintptr_t)at;
  }
  return NULL;
}

/* Whatever their type: GCC's word that may alias any other. */
typedef uint64_t __attribute__((may_alias, aligned(1))) word;

int memcmp(const void* a, const void* b, size_t size) {
  const unsigned char* left = a;
  const unsigned char* right = b;
  for (; size >= sizeof(word) && *(const word*)left == *(const word*)right; size -= sizeof(word)) {
    left += sizeof(word);
    right += sizeof(word);
  }
  for (; size > 0; --size, ++left, ++right) {
    if (*left != *right) return *left - *right;
  }
  return 0;
}

void* memmove(void* to, const void* from, size_t size) {
  unsigned char* target = to;
  const unsigned char* source = from;
  if ((uintptr_t)target - (uintptr_t)source >= size) {
    for (; size >= sizeof(word); size -= sizeof(word), target += sizeof(word), source += sizeof(word))
      *(word*)target = *(const word*)source;
    for (; size > 0; --size)
      *target++ = *source++;
    return to;
  }
  for (; size >= sizeof(word); size -= sizeof(word))
    *(word*)(target + size - sizeof(word)) = *(const word*)(source + size - sizeof(word));
  for (; size > 0; --size)
    target[size - 1] = source[size - 1];
  return to;
}
