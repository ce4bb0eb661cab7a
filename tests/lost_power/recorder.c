/* Preloaded into a program, it writes down what the program does to the files of one folder, and what it shows.

   cc -shared -fPIC -o recorder.so recorder.c; the folder is in RECORDED_FOLDER, an absolute path, and the record goes to
   RECORDED_STEPS. A line for each step that has succeeded: create INODE NAME, write INODE OFFSET HEX, truncate INODE
   SIZE, sync INODE, sync folder, unlink NAME, rename FROM TO, link FROM TO, show HEX (on standard output).

   The program may set `room`: after so many steps that need room the disk is full, for one step where `once` is set. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int room = -1, once = 0;

static int is_full(int concerned) {
    if (room < 0 || !concerned) return 0;
    if (room > 0) return room--, 0;
    if (once) room = -1;
    errno = ENOSPC;
    return 1;
}

static int steps(void) {
    static int descriptor = -1;
    if (descriptor < 0) descriptor = REAL(open)(getenv("RECORDED_STEPS"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    return descriptor;
}

/* The name of a path within the folder, NULL of one elsewhere; "" of the folder itself. */
static const char *within(const char *path) {
    const char *folder = getenv("RECORDED_FOLDER");
    size_t size = strlen(folder);
    if (strncmp(path, folder, size) != 0 || (path[size] != '/' && path[size] != 0)) return NULL;
    return path + size + (path[size] == '/');
}

/* The inode of a file of the folder, 0 of anything else, -1 of the folder itself. */
static long inode(int descriptor) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t size = readlink(link, path, sizeof path - 1);
    path[size > 0 ? size : 0] = 0;
    const char *name = within(path);
    struct stat found;
    if (name == NULL || fstat(descriptor, &found) != 0) return 0;
    return *name ? (long)found.st_ino : -1;
}

static void say(const char *words, const void *data, size_t size) {
    char *line = malloc(strlen(words) + 2 * size + 2), *end = stpcpy(line, words);
    for (size_t i = 0; i < size; i++) end += sprintf(end, "%02x", ((const unsigned char *)data)[i]);
    *end++ = '\n';
    REAL(write)(steps(), line, end - line);
    free(line);
}

static int opened(const char *path, int flags, mode_t mode) {
    struct stat found;
    int there = lstat(path, &found) == 0;
    if (is_full(!there && flags & O_CREAT && within(path))) return -1;
    int descriptor = REAL(open)(path, flags, mode);
    long number = descriptor < 0 ? 0 : inode(descriptor);
    char words[4200];
    if (number > 0 && !there) {
        snprintf(words, sizeof words, "create %ld %s", number, within(path));
        say(words, NULL, 0);
    } else if (number > 0 && flags & O_TRUNC) {
        snprintf(words, sizeof words, "truncate %ld 0", number);
        say(words, NULL, 0);
    }
    return descriptor;
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return opened(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return opened(path, flags, mode);
}

static void wrote(int descriptor, const void *data, ssize_t size, off_t offset) {
    long number = size > 0 ? inode(descriptor) : 0;
    char words[64];
    snprintf(words, sizeof words, "write %ld %ld ", number, (long)offset);
    if (number > 0) say(words, data, size);
}

ssize_t write(int descriptor, const void *data, size_t size) {
    if (is_full(inode(descriptor) > 0)) return -1;
    ssize_t done = REAL(write)(descriptor, data, size);
    if (descriptor == 1 && done > 0) say("show ", data, done);
    else if (done > 0) wrote(descriptor, data, done, lseek(descriptor, 0, SEEK_CUR) - done);
    return done;
}

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t offset) {
    if (is_full(inode(descriptor) > 0)) return -1;
    ssize_t done = REAL(pwrite)(descriptor, data, size, offset);
    wrote(descriptor, data, done, offset);
    return done;
}

ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t offset) {
    return pwrite(descriptor, data, size, offset);
}

int ftruncate(int descriptor, off_t size) {
    if (is_full(inode(descriptor) > 0)) return -1;
    int failed = REAL(ftruncate)(descriptor, size);
    char words[64];
    snprintf(words, sizeof words, "truncate %ld %ld", inode(descriptor), (long)size);
    if (!failed && inode(descriptor) > 0) say(words, NULL, 0);
    return failed;
}

int ftruncate64(int descriptor, off64_t size) { return ftruncate(descriptor, size); }

static int synced(int descriptor, int failed) {
    long number = inode(descriptor);
    char words[64];
    snprintf(words, sizeof words, number < 0 ? "sync folder" : "sync %ld", number);
    if (!failed && number) say(words, NULL, 0);
    return failed;
}

int fsync(int descriptor) { return is_full(inode(descriptor) > 0) ? -1 : synced(descriptor, REAL(fsync)(descriptor)); }

int fdatasync(int descriptor) {
    return is_full(inode(descriptor) > 0) ? -1 : synced(descriptor, REAL(fdatasync)(descriptor));
}

static int named(const char *what, const char *one, const char *other, int failed) {
    char words[8400];
    snprintf(words, sizeof words, "%s %s %s", what, within(one) ? within(one) : "", other ? within(other) : "");
    if (!failed && within(one)) say(words, NULL, 0);
    return failed;
}

int unlink(const char *path) { return named("unlink", path, NULL, REAL(unlink)(path)); }

int rename(const char *from, const char *to) { return named("rename", from, to, REAL(rename)(from, to)); }

int link(const char *from, const char *to) { return named("link", from, to, REAL(link)(from, to)); }
