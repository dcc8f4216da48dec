{{/* Facts about the five services: the program, its ports, whether it stores files, calls providers, sends mail or calls
receivers of webhooks, and the services that call its internal port. Tests compare the callers with the code. */}}
{{- define "maru.catalogue" -}}
auth:
  { program: auth-service, public: 8101, internal: 9101, files: true, provider: true, mail: true,
    callers: [chat, payment, realtime, workspace] }
workspace: { program: workspace-service, public: 8102, internal: 9102, files: true, callers: [auth, chat, payment, realtime] }
chat: { program: chat-service, public: 8103, internal: 9103, files: true, receivers: true, callers: [auth, realtime, workspace] }
realtime: { program: realtime-gateway, public: 8104, internal: 9104, provider: true, callers: [chat, realtime] }
payment: { program: payment-service, public: 8105, internal: 9105, provider: true, callers: [auth, workspace] }
{{- end }}

{{- define "maru.fullname" -}}
{{- if contains "maru" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ printf "%s-maru" (.Release.Name | trunc 35 | trimSuffix "-") }}{{ end }}
{{- end }}

{{- define "maru.secret" -}}{{ .Values.secrets.existing | default (include "maru.fullname" .) }}{{- end }}

{{- define "maru.clients" -}}{{ .Values.clients.existing | default (printf "%s-clients" (include "maru.fullname" .)) }}{{- end }}

{{- define "maru.account" -}}
{{- $own := .Values.serviceAccount.create | ternary (include "maru.fullname" .) "default" }}
{{- .Values.serviceAccount.name | default $own }}
{{- end }}

{{/* The name of an image: dict "root" $ "name" the repository. */}}
{{- define "maru.image" -}}
{{- $registry := .root.Values.images.registry }}
{{- if $registry }}{{ trimSuffix "/" $registry }}/{{ end }}{{ .name }}:{{ .root.Values.images.tag | default .root.Chart.AppVersion }}
{{- end }}

{{/* Labels that select the pods of one part: dict "root" $ "part" its name. They never change. */}}
{{- define "maru.selector" -}}
app.kubernetes.io/name: maru
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "maru.labels" -}}
{{ include "maru.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: maru
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{/* The values of one service over those of all: dict "root" $ "key" auth. */}}
{{- define "maru.options" -}}
{{- $services := .root.Values.services }}
{{- mergeOverwrite (deepCopy $services.common) (deepCopy (index $services .key)) | toYaml }}
{{- end }}
