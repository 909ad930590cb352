// Claims: files that give a point to one job. The script makes them (see script.cpp).
#pragma once

#include <map>
#include <string>

#include "jobs/campaign/out_folder.hpp"

namespace epochcast::jobs {

/// Point -> the job that claimed it.
std::map<std::string, std::string> read_claims(const OutFolder& out);

/// Moves the claim of an ended attempt to claims/released/POINT.JOB. Does nothing if there is no
/// claim.
void release_claim(const OutFolder& out, const std::string& point, const std::string& job);

/// Whether the claim of `job` was released.
bool is_released(const OutFolder& out, const std::string& point, const std::string& job);

/// Tells the script of the point how much memory its job asks for; "": as much as the script says.
void set_memory(const OutFolder& out, const std::string& point, const std::string& memory);

/// Sets whether the next attempt at the point resumes from the checkpoint.
void set_resume(const OutFolder& out, const std::string& point, bool resume);

}  // namespace epochcast::jobs
