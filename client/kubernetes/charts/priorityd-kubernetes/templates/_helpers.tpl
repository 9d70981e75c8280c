{{/* Parts of Pods that both Deployments have. */}}

{{/* Argument: a list of the root context, the image's name, and what the values have for it. */}}
{{- define "image" -}}
{{- $root := index . 0 }}
{{- $own := printf "%s:%s" (index . 1) $root.Chart.Version }}
{{- with $root.Values.registry }}{{ $own = printf "%s/%s" . $own }}{{ end }}
image: {{ index . 2 | default $own | quote }}
{{- with $root.Values.imagePullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
{{- end }}

{{- define "podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
# Files of Secrets are readable by this group.
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* Argument: the name of the Deployment. Replicas of one revision stand on different nodes and zones if they can. */}}
{{- define "spread" -}}
{{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- maxSkew: 1
  topologyKey: {{ . }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels: {app.kubernetes.io/name: {{ $ }}}
  matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end }}

{{- define "scheduling" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- end }}

{{/* Argument: the name of the Deployment, and the release. One Pod may be evicted at a time; a broken one always. */}}
{{- define "disruption" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ index . 0 }}
  namespace: {{ (index . 1).Namespace }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {app.kubernetes.io/name: {{ index . 0 }}}
{{- end }}

{{/* The Secret with the authority of priorityd's certificate; empty = no TLS. */}}
{{- define "authority" -}}
{{- .Values.caSecret | default (and (not .Values.address) .Values.priorityd.tlsSecret) | default "" -}}
{{- end }}

{{- define "databaseAuthority" -}}
{{- .Values.priorityd.databaseCaSecret | default (and .Values.cloudnativepg.enabled "priorityd-db-ca") | default "" -}}
{{- end }}

{{/* MiB of a Pod of priorityd: docs/operations.md, Messages and limits. */}}
{{- define "memory" -}}
{{- $transport := div (add (mul 5 (int64 .budget)) 3) 4 -}}
{{- $jobs := div (add (mul 330 (int64 .trackedJobs)) 1048575) 1048576 -}}
{{- add $transport 64 128 $jobs (int64 .other) -}}
{{- end }}
