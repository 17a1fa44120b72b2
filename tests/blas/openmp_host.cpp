// A library that brings OpenMP: its caller has none.
extern "C" void openmp_host_in_region(void (*call)(void*), void* argument) {
#pragma omp parallel num_threads(2)
#pragma omp single
  call(argument);
}
