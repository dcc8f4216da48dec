"""Decides by the NetworkPolicies of a release which connections are allowed, as Kubernetes does."""

from chart import NAMESPACE, container


def matches(selector, labels):
    assert selector.keys() <= {"matchLabels"}
    return selector.get("matchLabels", {}).items() <= labels.items()


def is_peer(peer, pod, namespace):
    """Whether the pod with these labels is meant. A peer that is an address means no pod."""
    if "ipBlock" in peer:
        return False
    if "namespaceSelector" in peer:
        if not matches(peer["namespaceSelector"], {"kubernetes.io/metadata.name": namespace}):
            return False
    elif namespace != NAMESPACE:
        return False
    return matches(peer.get("podSelector", {}), pod)


class Network:
    def __init__(self, rendered):
        self.labels = rendered.pod_labels()
        self.ports = {
            part: {port["name"]: port["containerPort"] for port in container(pod)["ports"]}
            for part, pod in rendered.pods().items()
        }
        self.policies = [each["spec"] for each in rendered.objects if each["kind"] == "NetworkPolicy"]

    def policies_of(self, part, direction):
        # A pod that no policy selects is open.
        found = [each for each in self.policies if matches(each["podSelector"], self.labels[part])]
        return [each for each in found if direction in each["policyTypes"]]

    def may_enter(self, part, port, pod, namespace=NAMESPACE):
        """Whether the pod with the labels `pod` may connect to this port of a part."""
        policies = self.policies_of(part, "Ingress")
        rules = [rule for policy in policies for rule in policy.get("ingress", [])]
        return not policies or any(
            self.has_port(rule, part, port)
            and ("from" not in rule or any(is_peer(peer, pod, namespace) for peer in rule["from"]))
            for rule in rules
        )

    def may_leave(self, part, target, port):
        """Whether a part may connect to this port of another part."""
        policies = self.policies_of(part, "Egress")
        rules = [rule for policy in policies for rule in policy.get("egress", [])]
        return not policies or any(
            self.has_port(rule, target, port)
            and ("to" not in rule or any(is_peer(peer, self.labels[target], NAMESPACE) for peer in rule["to"]))
            for rule in rules
        )

    def may_call(self, part, target, port):
        return self.may_leave(part, target, port) and self.may_enter(target, port, self.labels[part])

    def has_port(self, rule, part, port):
        named = self.ports[part]
        return "ports" not in rule or any(
            each["protocol"] == "TCP" and named.get(each["port"], each["port"]) == port for each in rule["ports"]
        )
