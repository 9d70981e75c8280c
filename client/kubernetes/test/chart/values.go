package chart

// Sets are values by what they are for: between them each option of the chart is set.
var Sets = map[string]map[string]any{
	"kueue": {},
	"plain": {"mode": "plain"},
	"elsewhere": {"image": "registry.site:5000/own@sha256:0123", "address": "a.site:7411,b.site:7411", "caSecret": "site-ca", "tokenAudience": "priorityd", "policy": false,
		"provision": false, "replicas": 1, "flags": []any{"--cluster=hpc"}},
	"weights": {"tokenAudience": "priorityd", "monitoring": true, "caSecret": "site-ca", "priorityd": map[string]any{"enabled": true},
		"weights": map[string]any{"enabled": true, "flags": []any{"--poll=10s"}, "groups": []any{
			map[string]any{"target": "kueue-clusterqueue", "queues": map[string]any{"chem": "team-chem", "bio": "team-bio"}, "interval": "5m", "step": 1.25},
			map[string]any{"target": "kueue-cohort", "parent": "chem"}, map[string]any{"target": "kai-queue"}, map[string]any{"target": "kai-priority", "parent": "lab"},
			map[string]any{"target": "volcano-queue", "base": "equal"}, map[string]any{"target": "yunikorn", "yunikorn": map[string]any{"namespace": "default", "parent": "root.tenants"}}}}},
	"open": {"priorityd": map[string]any{"enabled": true}},
	"secured": {"tokenAudience": "priorityd", "accounts": "team-* chem", "users": "eve amy", "monitoring": true, "dashboard": true,
		"priorityd": map[string]any{"enabled": true, "authSecret": "priorityd-auth", "tlsSecret": "priorityd-tls", "page": true,
			"databaseCaSecret": "db-ca", "flags": []any{"--log_format=json"}}},
	"whole": {"registry": "registry.site/priorityd", "imagePullPolicy": "Always", "mode": "plain", "monitoring": true, "accountingFinalizer": true, "imagePullSecrets": []any{map[string]any{"name": "registry"}},
		"nodeSelector": map[string]any{"kubernetes.io/os": "linux"}, "priorityClassName": "system-cluster-critical",
		"tolerations": []any{map[string]any{"key": "control-plane", "operator": "Exists"}},
		"priorityd": map[string]any{"enabled": true, "replicas": 3, "authSecret": "priorityd-auth",
			"memory":        map[string]any{"budget": 333, "trackedJobs": 5000000, "other": 2000},
			"networkPolicy": map[string]any{"clients": []any{map[string]any{"ipBlock": map[string]any{"cidr": "10.1.0.0/16"}}}, "monitoring": []any{}}},
		"cloudnativepg": map[string]any{"enabled": true, "storageClass": "fast",
			"backup": map[string]any{"destination": "s3://backups/priorityd", "endpoint": "https://s3.site", "secret": "s3"}}},
	"two databases": {"priorityd": map[string]any{"enabled": true, "replicas": 1}, "cloudnativepg": map[string]any{"enabled": true, "instances": 2}},
	"one database":  {"priorityd": map[string]any{"enabled": true}, "cloudnativepg": map[string]any{"enabled": true, "instances": 1}},
}
