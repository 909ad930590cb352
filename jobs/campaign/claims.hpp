// Claims: files that give a point to one job. The script makes them (see script.cpp).
#pragma once

#include <map>
#include <string>

#include "jobs/campaign/out_folder.hpp"

namespace epochcast::jobs {

/// Point -> the job that claimed it.
std::map<std::string, std::string> read_claims(const OutFolder& out);

/// Takes the point from its job, whose attempt has ended. Does nothing if there is no claim.
void remove_claim(const OutFolder& out, const std::string& point);

/// Tells the script of the point how much memory its job asks for; "": as much as the script says.
void set_memory(const OutFolder& out, const std::string& point, const std::string& memory);

/// Sets whether the next attempt at the point resumes from the checkpoint.
void set_resume(const OutFolder& out, const std::string& point, bool resume);

}  // namespace epochcast::jobs
