/* The floor under every terminal host: a program that only reads (or writes) a PTY. */
#define _GNU_SOURCE
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char buffer[65536];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static double cpu(void) {
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  return r.ru_utime.tv_sec + r.ru_stime.tv_sec + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

static int start(char *const argv[], pid_t *pid) {
  int master;
  *pid = forkpty(&master, 0, 0, 0);
  if (*pid < 0) exit(1);
  if (*pid == 0) {
    execvp(argv[0], argv);
    _exit(127);
  }
  return master;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* floor throughput FILE | floor spawn COUNT | floor echo COUNT */
int main(int argc, char **argv) {
  if (argc < 3) return 2;
  pid_t pid;
  if (strcmp(argv[1], "throughput") == 0) {
    char *cat[] = {"cat", argv[2], 0};
    double from = now(), used = cpu();
    int master = start(cat, &pid);
    long bytes = 0, n;
    while ((n = read(master, buffer, sizeof buffer)) > 0) bytes += n;
    waitpid(pid, 0, 0);
    printf("{\"bytes\":%ld,\"seconds\":%f,\"cpuSeconds\":%f}\n", bytes, now() - from, cpu() - used);
    return 0;
  }
  int count = atoi(argv[2]);
  double *times = calloc(count, sizeof *times);
  if (strcmp(argv[1], "spawn") == 0) {
    char *program[] = {"/bin/true", 0};
    for (int i = 0; i < count; i++) {
      double from = now();
      int master = start(program, &pid);
      while (read(master, buffer, sizeof buffer) > 0);
      waitpid(pid, 0, 0);
      close(master);
      times[i] = now() - from;
    }
  } else {
    char *echo[] = {"sh", "-c", "stty raw -echo -opost; printf r; exec cat", 0};
    int master = start(echo, &pid);
    if (read(master, buffer, 1) != 1) return 1;
    for (int i = 0; i < count; i++) {
      double from = now();
      if (write(master, "x", 1) != 1 || read(master, buffer, 1) != 1) return 1;
      times[i] = now() - from;
    }
    kill(pid, SIGKILL);
  }
  qsort(times, count, sizeof *times, ascending);
  printf("{\"p50Ms\":%f,\"p99Ms\":%f}\n", times[count / 2] * 1e3, times[count * 99 / 100] * 1e3);
  return 0;
}
