#define _GNU_SOURCE
#include "include/start_memory.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

// Segments that cannot be written have no pages of their own: relocations are only in the writable ones.
static int release_unwritten(struct dl_phdr_info *library, size_t size, void *page_size) {
  (void)size;
  uintptr_t page = *(const uintptr_t *)page_size;
  for (int index = 0; index < library->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &library->dlpi_phdr[index];
    if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W)) continue;
    uintptr_t begin = (library->dlpi_addr + segment->p_vaddr) & ~(page - 1);
    uintptr_t end = library->dlpi_addr + segment->p_vaddr + segment->p_memsz;
    // Refused for what is no file's, e.g. the kernel's own library.
    madvise((void *)begin, end - begin, MADV_DONTNEED);
  }
  return 0;
}

static bool is_traced(void) {
  FILE *status = fopen("/proc/self/status", "re");
  if (!status) return true;
  char line[256];
  int tracer = 1;
  while (fgets(line, sizeof line, status) && sscanf(line, "TracerPid: %d", &tracer) != 1) {}
  fclose(status);
  return tracer != 0;
}

void postern_release_start_memory(void) {
  if (is_traced()) return;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  dl_iterate_phdr(release_unwritten, &page);
}
