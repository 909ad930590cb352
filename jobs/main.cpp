// Placeholder of the first commit: the helpers' branches bring the real program.
int main() { return 0; }
