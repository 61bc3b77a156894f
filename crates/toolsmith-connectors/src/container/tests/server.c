/* A tool that is a container: one request after the other, on a port or on a socket. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int listen_on_socket(const char *path) {
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    strncpy(place.sun_path, path, sizeof place.sun_path - 1);
    int door = socket(AF_UNIX, SOCK_STREAM, 0);
    bind(door, (struct sockaddr *)&place, sizeof place);
    listen(door, 64);
    return door;
}

static int listen_on_port(int port) {
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(port)};
    place.sin_addr.s_addr = htonl(INADDR_ANY);
    int door = socket(AF_INET, SOCK_STREAM, 0);
    bind(door, (struct sockaddr *)&place, sizeof place);
    listen(door, 64);
    return door;
}

/* Reads until the body is as long as the request says. */
static char *read_request(int client, char *buffer, size_t size) {
    size_t length = 0;
    for (;;) {
        ssize_t count = read(client, buffer + length, size - 1 - length);
        if (count <= 0)
            return NULL;
        length += count;
        buffer[length] = 0;
        char *body = strstr(buffer, "\r\n\r\n");
        if (!body)
            continue;
        body += 4;
        char *said = strcasestr(buffer, "content-length:");
        size_t wanted = said && said < body ? strtoul(said + 15, NULL, 10) : 0;
        if (buffer + length - body >= (ssize_t)wanted)
            return body;
    }
}

int main(int count_of_words, char **words) {
    if (count_of_words > 1 && !strcmp(words[1], "exit"))
        return 3;
    const char *path = getenv("TOOLSMITH_SOCKET"), *port = getenv("PORT");
    int door = path ? listen_on_socket(path) : listen_on_port(atoi(port ? port : "8000"));
    printf("listening\n");
    fflush(stdout);
    static char buffer[65536], answer[70000];
    for (;;) {
        int client = accept(door, NULL, NULL);
        char *body = client < 0 ? NULL : read_request(client, buffer, sizeof buffer);
        if (body && strstr(body, "\"fill\""))
            for (;;)
                memset(malloc(1 << 20), 1, 1 << 20);
        if (body && strstr(body, "\"hang\""))
            sleep(600);
        if (body && strstr(body, "\"exit\"")) {
            fprintf(stderr, "leaving\n");
            exit(5);
        }
        if (body) {
            int can_write = fopen("/written", "w") != NULL;
            char said[66000];
            int size = snprintf(said, sizeof said, "{\"uid\":%d,\"writes\":%s,\"got\":%s}",
                                getuid(), can_write ? "true" : "false", *body ? body : "null");
            int count = snprintf(answer, sizeof answer,
                                 "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                 "Connection: close\r\nContent-Length: %d\r\n\r\n%s",
                                 size, said);
            if (write(client, answer, count) < 0)
                perror("write");
        }
        if (client >= 0)
            close(client);
    }
}
