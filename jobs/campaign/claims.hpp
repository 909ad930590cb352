// Claims: files that give a point to one job. The script makes them (see script.cpp).
#pragma once

#include <map>
#include <string>

#include "jobs/campaign/out_folder.hpp"

namespace epochcast::jobs {

/// Point -> the job that claimed it.
std::map<std::string, std::string> read_claims(const OutFolder& out);

/// Removes the claim of the point if it names no job, and returns what to tell of that; "": it did
/// not. Scripts before 2026-11-30 left such a file on a full disk, and nobody could claim the point
/// again. Only for the caller that is about to start a job for a point without one.
std::string drop_empty_claim(const OutFolder& out, const std::string& point);

/// Takes the point from its job, whose attempt has ended. Does nothing if there is no claim.
void remove_claim(const OutFolder& out, const std::string& point);

/// Tells the script of the point how much memory its job asks for; "": as much as the script says.
void set_memory(const OutFolder& out, const std::string& point, const std::string& memory);

/// Sets whether the next attempt at the point resumes from the checkpoint.
void set_resume(const OutFolder& out, const std::string& point, bool resume);

}  // namespace epochcast::jobs
