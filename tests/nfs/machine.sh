# What each of the two machines runs, with programs, seed and notes set above (campaign.py).
cd /mnt || exit 1
me=$(uname -n) number=$(uname -n | tr -dc 0-9)
RANDOM=$((number * 77 + seed))
if [ "$me" = n1 ]; then
  "$programs/epochcast-jobs" generate experiment.yaml --cluster cluster.yaml -o out && touch begin
else
  until ls | grep -qx begin; do sleep 1; done
fi

attempt() { # POINT JOB RESTART: killed after 0 to 6 s, or never
  SLURM_JOB_ID=$2 SLURM_CPUS_PER_TASK=1 SLURM_RESTART_COUNT=$3 setsid bash "out/scripts/$1.sbatch" >"out/logs/$1-$2-$3.out" 2>&1 &
  if [ $((RANDOM % 5)) -lt 3 ] && [ "${3:-0}" -lt 6 ]; then
    sleep $((RANDOM % 6)).$((RANDOM % 10))
    if kill -9 -- -$!; then echo "$1: killed"; fi
  fi 2>/dev/null
  wait $! 2>/dev/null
}

index=0
for script in out/scripts/*.sbatch; do
  point=$(basename "$script" .sbatch) index=$((index + 1)) restart=
  job=$((number * 1000 + index))
  while [ $(($(date +%s) % 4)) -ne 0 ]; do sleep 0.05; done # both machines at once
  while ! attempt "$point" "$job" "$restart"; do
    restart=$((restart + 1))
    [ "$restart" -lt 12 ] || break
  done
  [ "$(cat "out/claims/$point")" = "$job" ] || echo "$point: claimed by the other"
done

# Lines of both in one journal.
out=/mnt/out job=$number
. out/scripts/epochcast-*.sh
while [ $(($(date +%s) % 10)) -ne 0 ]; do sleep 0.05; done
for note in $(seq "$notes"); do epochcast_pack_note ended "$me-$note" ',"status":0'; done
