#!/bin/sh
# Run the tasks of a study as one array job of AWS Batch, and wait for it:
#
#   QUEUE=studies DEFINITION=keplersim keplersim sweep study.yaml --tasks 64 --attempts 1 --jobs 4 --folder /studies/tasks \
#     --launcher 'sh aws-batch.sh {tasks} /studies/tasks'
#
# The job definition DEFINITION mounts a file system (EFS) at the path at which this machine has it. The study and keplersim are on it, or
# have the same paths in the image. Batch starts a task that fails again, up to three times.
set -eu
tasks=$1 folder=$2
job=$(aws batch submit-job --job-name keplersim-study --job-queue "$QUEUE" --job-definition "$DEFINITION" \
  --array-properties "size=$tasks" --retry-strategy attempts=3 --query jobId --output text --container-overrides \
  "{\"command\": [\"sh\", \"-c\", \"exec sh '$folder'/task-\$((AWS_BATCH_JOB_ARRAY_INDEX + 1)).sh\"]}")
while :; do
  status=$(aws batch describe-jobs --jobs "$job" --query 'jobs[0].status' --output text)
  case $status in SUCCEEDED) exit 0 ;; FAILED) exit 1 ;; esac
  sleep "${POLL:-30}"
done
