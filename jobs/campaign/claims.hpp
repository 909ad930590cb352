// Claims: the files by which a job owns a point (made by the script; see script.cpp).
#pragma once

#include <map>
#include <string>

#include "jobs/campaign/out_folder.hpp"

namespace epochcast::jobs {

/// Point → the job that claimed it.
std::map<std::string, std::string> read_claims(const OutFolder& out);

/// Moves the claim of a dead attempt aside, to claims/released/POINT.JOB; nothing is deleted.
/// Nothing happens where there is no claim.
void release_claim(const OutFolder& out, const std::string& point, const std::string& job);

/// Whether `job` gave the point back.
bool is_released(const OutFolder& out, const std::string& point, const std::string& job);

/// Whether the next attempt at the point goes on from the checkpoint.
void set_resume(const OutFolder& out, const std::string& point, bool resume);

}  // namespace epochcast::jobs
