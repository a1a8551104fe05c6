/**
 * The kinds of objects in deploy/kubernetes, as Kubernetes' own definitions have them: the compiler
 * holds the manifests to these.
 */
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.js';
import type { ConfigMap, Namespace, Secret, Service } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';

export interface Kinds {
  'apps/v1 Deployment': Deployment;
  'autoscaling/v2 HorizontalPodAutoscaler': HorizontalPodAutoscaler;
  'networking.k8s.io/v1 NetworkPolicy': NetworkPolicy;
  'policy/v1 PodDisruptionBudget': PodDisruptionBudget;
  'v1 ConfigMap': ConfigMap;
  'v1 Namespace': Namespace;
  'v1 Secret': Secret;
  'v1 Service': Service;
}
