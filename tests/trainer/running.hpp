// A program that runs beside the test, which reads what it prints and sends it signals.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace epochcast {

class Running {
 public:
  /// Both of its streams go to the file `log`.
  Running(std::vector<std::string> words, const std::string& job, std::string log)
      : log_(std::move(log)) {
    pid_ = fork();
    if (pid_ == 0) {
      const int file = open(log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
      dup2(file, STDOUT_FILENO);
      dup2(file, STDERR_FILENO);
      setenv("EPOCHCAST_JOB_ID", job.c_str(), 1);
      std::vector<char*> pointers;
      for (auto& word : words) {
        pointers.push_back(word.data());
      }
      pointers.push_back(nullptr);
      execv(pointers[0], pointers.data());
      _exit(127);
    }
  }
  ~Running() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      wait();
    }
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  pid_t pid() const { return pid_; }

  std::string printed() const {
    std::ifstream file(log_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// False if it ends without printing `text`.
  bool wait_for(const std::string& text) {
    while (printed().find(text) == std::string::npos) {
      if (waitpid(pid_, &state_, WNOHANG) == pid_) {
        pid_ = -1;
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
  }

  void send(int signal) const { kill(pid_, signal); }

  /// Its exit status, or 128 + signal.
  int wait() {
    if (pid_ > 0) {
      waitpid(pid_, &state_, 0);
      pid_ = -1;
    }
    return WIFEXITED(state_) ? WEXITSTATUS(state_) : 128 + WTERMSIG(state_);
  }

 private:
  pid_t pid_ = -1;
  int state_ = 0;
  std::string log_;
};

}  // namespace epochcast
