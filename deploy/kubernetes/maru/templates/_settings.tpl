{{/* The environment of one service: dict "root" $ "key" auth "fact" its row of the catalogue "options" its values. */}}
{{- define "maru.environment" -}}
{{- $root := .root }}{{- $name := include "maru.fullname" $root }}{{- $drain := $root.Values.drain }}
{{- $set := dict
  "public_address" (printf "0.0.0.0:%v" .fact.public)
  "internal_address" (printf "0.0.0.0:%v" .fact.internal)
  "clients_file" "/etc/maru/clients.json"
  "service_credential_file" "/secrets/service_credential"
  "gateway_credential_file" "/secrets/gateway_credential"
  "operator_credential_file" "/secrets/operator_credential"
  "operators_file" "/etc/maru-operators/operators"
  "database_url_file" "/secrets/database_url"
  "redis_url_file" "/secrets/redis_url"
  "auth_url" (printf "http://%s-auth-service:9101" $name)
  "workspace_url" (printf "http://%s-workspace-service:9102" $name)
  "chat_url" (printf "http://%s-chat-service:9103" $name)
  "realtime_url" (printf "http://%s-realtime-gateway:9104" $name)
  "payment_url" (printf "http://%s-payment-service:9105" $name)
  "trusted_proxies" "*"
  "loops" (toString .options.loops)
  "drain_timeout" (printf "%vs" $drain.calls)
  "drain_idle" (printf "%vs" $drain.idle) }}
{{- if .fact.files }}{{- $_ := set $set "files_folder" "/files" }}{{- end }}
{{- if eq .key "realtime" }}
{{- $_ := set $set "node_address" "$(POD_IP):9104" }}
{{- $_ := set $set "drain_window" (printf "%vs" $drain.sockets) }}
{{- $_ := set $set "allowed_origins" (join "," $root.Values.allowedOrigins) }}
{{- end }}
{{- if eq .key "chat" }}{{- $_ := set $set "public_url" (include "maru.publicUrl" $root) }}{{- end }}
{{- /* Forms of secrets, and settings that would contradict what the chart knows of a pod. */}}
{{- $reserved := concat (keys $set) (list "service_credential" "gateway_credential" "operator_credential" "database_url" "redis_url" "shared_ports" "instance_address" "node") }}
{{- range $setting, $value := .options.settings }}
{{- if has $setting $reserved }}
{{- fail (printf "services.%s.settings.%s: the chart sets it; see docs/kubernetes.md for the value to use instead" $.key $setting) }}
{{- end }}
{{- $_ := set $set $setting (include "maru.text" $value) }}
{{- end }}
{{- if eq .key "realtime" }}
# The other gateways reach this one at its own address: no name leads to a single pod.
- name: POD_IP
  valueFrom: { fieldRef: { fieldPath: status.podIP } }
{{- end }}
{{- range $setting, $value := $set }}
- name: MARU_{{ upper $setting }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* A value as the text of a setting. Helm reads whole numbers as fractions, and writes them as 1e+06 from a million on. */}}
{{- define "maru.text" -}}
{{- if kindIs "float64" . }}
{{- if eq . (floor .) }}{{ int64 . }}{{ else }}{{ toString . }}{{ end }}
{{- else }}{{ toString . }}{{ end }}
{{- end }}

{{/* The environment of the API gateway. */}}
{{- define "maru.gatewayEnvironment" -}}
{{- $gateway := .Values.gateway }}{{- $name := include "maru.fullname" . }}
{{- $set := dict
  "listen" "0.0.0.0:8080"
  "tls_listen" "0.0.0.0:8443"
  "status_listen" "0.0.0.0:9100"
  "clients" "/etc/maru/clients.json"
  "credential_file" "/secrets/gateway_credential"
  "web" "/usr/share/maru/web"
  "web_key" $gateway.webKey
  "workers" (toString $gateway.workers)
  "stop_seconds" (toString .Values.drain.gatewayCalls)
  "hsts" (include "maru.text" $gateway.hsts)
  "allowed_origins" (join "," .Values.allowedOrigins)
  "trusted_proxies" (join " " $gateway.trustedProxies)
  "requests_per_address" (include "maru.text" $gateway.limits.requestsPerAddress)
  "requests_per_caller" (include "maru.text" $gateway.limits.requestsPerCaller)
  "connections_per_address" (include "maru.text" $gateway.limits.connectionsPerAddress)
  "largest_body" $gateway.limits.largestBody }}
{{- if not $gateway.webKey }}{{- $set = omit $set "web" "web_key" }}{{- end }}
{{- if $gateway.redirectPort }}{{- $_ := set $set "redirect_port" (toString $gateway.redirectPort) }}{{- end }}
{{- if $gateway.tls.existing }}
{{- $_ := set $set "certificate" "/certificates/tls.crt" }}
{{- $_ := set $set "certificate_key" "/certificates/tls.key" }}
{{- end }}
{{- range $key, $fact := include "maru.catalogue" . | fromYaml }}
{{- $_ := set $set (printf "%s_name" $key) (printf "%s-%s" $name $fact.program) }}
{{- end }}
{{- range $setting, $value := $set }}
- name: MARU_GATEWAY_{{ upper $setting }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* The environment of the console, in the gateway's image. Its public server listens inside of the pod alone. */}}
{{- define "maru.consoleEnvironment" -}}
{{- $name := include "maru.fullname" . }}
{{- $set := dict
  "listen" "127.0.0.1:8080"
  "status_listen" "0.0.0.0:9100"
  "console_listen" "0.0.0.0:9110"
  "console_names" (join " " (concat (list "localhost" "127.0.0.1") .Values.console.names))
  "clients" "/etc/maru/clients.json"
  "web" "/usr/share/maru/web"
  "workers" "1"
  "stop_seconds" "95" }}
{{- range $key, $fact := include "maru.catalogue" . | fromYaml }}
{{- $_ := set $set (printf "%s_name" $key) (printf "%s-%s" $name $fact.program) }}
{{- end }}
{{- range $setting, $value := $set }}
- name: MARU_GATEWAY_{{ upper $setting }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* The address of the product from outside: the given one, or the first host of the Ingress; empty if neither is known. */}}
{{- define "maru.publicUrl" -}}
{{- if .Values.publicUrl }}{{ .Values.publicUrl }}
{{- else if and .Values.ingress.enabled .Values.ingress.hosts }}http{{ if .Values.ingress.tls }}s{{ end }}://{{ first .Values.ingress.hosts }}
{{- end }}
{{- end }}

{{/* Refuses values with which the services could open more connections than Postgres allows. */}}
{{- define "maru.checkConnections" -}}
{{- $needed := 0 }}
{{- range $key, $fact := include "maru.catalogue" . | fromYaml }}
{{- $options := include "maru.options" (dict "root" $ "key" $key) | fromYaml }}
{{- $instances := int ($options.autoscaling.enabled | ternary $options.autoscaling.maxReplicas $options.replicas) }}
{{- $each := mul (int $options.loops) (int (index $options.settings "database_connections" | default 4)) }}
{{- if eq $key "chat" }}{{- $each = add $each 1 }}{{- end }}
{{- $needed = add $needed (mul (add $instances 1) $each) }}
{{- end }}
{{- if and .Values.postgres.connectionLimit (gt $needed (int64 .Values.postgres.connectionLimit)) }}
{{- fail (printf "the services could open %v connections to Postgres during an update, but postgres.connectionLimit is %v: lower maxReplicas, loops or database_connections, or raise max_connections of Postgres" $needed .Values.postgres.connectionLimit) }}
{{- end }}
{{- end }}
