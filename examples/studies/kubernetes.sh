#!/bin/sh
# Run the tasks of a study as one indexed Job of Kubernetes, and wait for it:
#
#   IMAGE=registry.example/keplersim CLAIM=studies keplersim sweep study.yaml --tasks 64 --attempts 1 --jobs 4 --folder /studies/tasks \
#     --launcher 'sh kubernetes.sh {tasks} /studies/tasks 4'
#
# The volume claim CLAIM is mounted at MOUNT (default /studies), where this machine has it, too. The study and keplersim are on it, or have
# the same paths in IMAGE. Kubernetes starts a pod that fails again, up to three times.
set -eu
tasks=$1 folder=$2 cpus=$3 name=${NAME:-keplersim-study}
kubectl delete job "$name" --ignore-not-found >/dev/null
kubectl apply -f - <<END
apiVersion: batch/v1
kind: Job
metadata:
  name: $name
spec:
  completionMode: Indexed
  completions: $tasks
  parallelism: $tasks
  backoffLimitPerIndex: 3
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: keplersim
          image: $IMAGE
          command: [sh, -c, 'exec sh "$folder/task-\$((JOB_COMPLETION_INDEX + 1)).sh"']
          resources: {requests: {cpu: $cpus, memory: 1Gi}}
          volumeMounts: [{name: studies, mountPath: ${MOUNT:-/studies}}]
      volumes: [{name: studies, persistentVolumeClaim: {claimName: $CLAIM}}]
END
kubectl wait --for=condition=complete --timeout="${TIMEOUT:-24h}" "job/$name"
