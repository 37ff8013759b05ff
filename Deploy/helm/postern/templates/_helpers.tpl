{{/* The name of everything, at most as long as a label may be: my-release-postern, or postern for a release of that name. */}}
{{- define "postern.name" -}}
{{- if contains "postern" .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-postern" (.Release.Name | trunc 42 | trimSuffix "-") -}}
{{- end -}}
{{- end -}}

{{- define "postern.selector" -}}
app.kubernetes.io/name: postern
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "postern.labels" -}}
{{ include "postern.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "postern.secret" -}}
{{- .Values.existingSecret | default (printf "%s-secrets" (include "postern.name" .)) -}}
{{- end -}}

{{/* The file of flags: what the chart decides, over what the values say. */}}
{{- define "postern.settings" -}}
{{- $own := dict
  "host" "0.0.0.0" "port" 8080 "control-host" "0.0.0.0" "control-port" 8081
  "secret-file" "/run/secrets/postern/signing"
  "control-secret-file" "/run/secrets/postern/control"
  "provider-secret-file" "/run/secrets/postern/provider"
  "drain-window" (printf "%ds" (int .Values.drainWindowSeconds)) -}}
{{- if .Values.trustedProxies }}{{ $_ := set $own "trusted-proxy" .Values.trustedProxies }}{{ end -}}
{{- with .Values.store }}
{{- if .url }}
{{- $_ := set $own "store" .url -}}
{{- if .user }}{{ $_ := set $own "store-user" .user }}{{ end -}}
{{- $flags := dict "password" "store-password-file" "ca" "store-ca" "certificate" "store-certificate" "key" "store-key" -}}
{{- range $what, $key := .keys -}}
{{- if $key }}{{ $_ := set $own (get $flags $what) (printf "/run/secrets/store/%s" $key) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $settings := dict -}}
{{- range $name, $value := .Values.settings -}}
{{- /* Helm reads every number as a float, which would be written 1e+06. */ -}}
{{- if and (kindIs "float64" $value) (eq (float64 (int64 $value)) $value) }}{{ $value = int64 $value }}{{ end -}}
{{- $_ := set $settings $name $value -}}
{{- end -}}
{{- mustMergeOverwrite $settings $own | toPrettyJson -}}
{{- end -}}
