#include "jobs/script/pack_script.hpp"

#include <cmath>

#include "jobs/script/sbatch_header.hpp"
#include "jobs/script/shell_file.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {

std::string pack_script_text(const AllocationProfile& site, const ScriptContext& context,
                             const std::string& files) {
  Lines lines;
  lines.raw("#!/bin/bash");
  add_sbatch_header(lines, packed(site), context.out, "epochcast." + site.name, "%x-%j.out");
  lines.raw("# Made by epochcast-jobs: runs the points of a table, several at a time.");
  lines.raw("set -u");
  lines.add("out={}", shell_quote(context.out));
  add_functions(lines);
  lines.add("epochcast_pack {} parallel={} per={} lead={:.0f} gpus={} {}{}{}",
            shell_quote("prefix=" + files), site.pack.parallel, site.pack.per,
            std::ceil(site.launch.signal_lead.value), run::gpus_on_node(site.asks),
            shell_quote("jobs=" + program_beside_trainer(context.trainer, "epochcast-jobs")),
            site.retry.submits() ? " retries=yes" : "",
            site.notify != Notify{} ? " notifies=yes" : "");
  return std::move(lines).text();
}

}  // namespace epochcast::jobs
