{{/* What the pods of the services and of the gateway have in common. */}}

{{/* The pod's own security: dict "user" a number. It satisfies the Pod Security Standard `restricted`. A number is needed,
because the images name their user. */}}
{{- define "maru.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ .user }}
runAsGroup: {{ .user }}
fsGroup: {{ .user }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "maru.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: { drop: [ALL] }
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* Spreads the pods of one revision over nodes and zones: dict "root" $ "part" its name. */}}
{{- define "maru.spread" -}}
{{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- maxSkew: 1
  topologyKey: {{ $key }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels: {{- include "maru.selector" $ | nindent 6 }}
  matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end }}

{{/* Placement by the values of the part. */}}
{{- define "maru.placement" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{/* Members of a pod's spec that are the same in all: the root. */}}
{{- define "maru.podBasics" -}}
serviceAccountName: {{ include "maru.account" . }}
automountServiceAccountToken: false
# Otherwise Kubernetes sets variables such as MARU_CHAT_SERVICE_PORT, and the services refuse unknown settings.
enableServiceLinks: false
{{- with .Values.images.pullSecrets }}
imagePullSecrets: {{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{/* The kind of update that leaves no call without an instance. */}}
{{- define "maru.update" -}}
revisionHistoryLimit: 5
minReadySeconds: 10
progressDeadlineSeconds: 900
strategy:
  type: RollingUpdate
  rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
{{- end }}

{{/* A probe of a service: dict "path" and "failures" and "period". */}}
{{- define "maru.probe" -}}
httpGet: { path: {{ .path }}, port: {{ .port }} }
periodSeconds: {{ .period }}
timeoutSeconds: 3
failureThreshold: {{ .failures }}
{{- end }}

{{/* Seconds that a service's pod may take to end: compose gives 15 beyond drain_timeout for the work after the calls. */}}
{{- define "maru.grace" -}}
{{- $drain := .Values.drain }}
{{- add $drain.notice (max (int $drain.calls) (int $drain.sockets)) 15 }}
{{- end }}
