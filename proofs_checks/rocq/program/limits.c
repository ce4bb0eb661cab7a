/* At most so many megabytes for this process, or what it was allowed before. */
#include <sys/resource.h>
#include <caml/mlvalues.h>

value limit_memory(value megabytes) {
  struct rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  rlim_t most = (rlim_t)Long_val(megabytes) << 20;
  if (limit.rlim_max == RLIM_INFINITY || most < limit.rlim_max) limit.rlim_max = most;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_AS, &limit);
  return Val_unit;
}
