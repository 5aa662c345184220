#!/usr/bin/env bash
# A Slurm of one node on this machine, to try or test job arrays: slurm-one-node.sh start FOLDER, and stop FOLDER. Needs root and Debian's
# slurm-wlm and munge. Prints the line that makes Slurm's commands find it.
set -euo pipefail
action=$1 folder=$(realpath -m "$2")
start() {
  mkdir -p "$folder"/{state,spool,munge}
  host=$(hostname -s)
  chmod 755 "$folder" && chown root "$folder/munge" && chmod 700 "$folder/munge"
  dd if=/dev/urandom of="$folder/munge/key" bs=1024 count=1 status=none && chmod 400 "$folder/munge/key"
  mkdir -p "$folder/socket" && chmod 755 "$folder/socket"
  munged --force --key-file="$folder/munge/key" --socket="$folder/socket/munge" --pid-file="$folder/munge/pid" \
    --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" --num-threads=2
  cat > "$folder/slurm.conf" <<END
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/socket/munge
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2
JobRequeue=0
MinJobAge=10
KillWait=2
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
  slurmctld -f "$folder/slurm.conf"
  slurmd -f "$folder/slurm.conf"
  echo "export SLURM_CONF=$folder/slurm.conf"
}
stop() {
  for pid in slurmd.pid slurmctld.pid munge/pid; do
    [ -s "$folder/$pid" ] || continue
    number=$(cat "$folder/$pid")
    kill "$number" || continue
    for _ in $(seq 50); do
      kill -0 "$number" 2>/dev/null || break
      sleep 0.1
    done
  done
}
"$action"
