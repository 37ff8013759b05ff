import GatewayCore
import GatewayFleet
import GatewayWires

extension RetryRule {
  /// Reads the limit on the retries of a scenario's clients.
  init(_ described: Described) throws {
    let rule = try described.object(["per", "budget", "breaker"])
    self.init()
    try rule["per"].map { per = try $0.choice("holder of a limit", Scope.self) }
    if let members = try rule["budget"]?.object(["deposit", "capacity"]) {
      var budget = Budget()
      try members["deposit"].map { budget.deposit = try $0.number(in: Self.deposits) }
      try members["capacity"].map { budget.capacity = try $0.integer(in: Self.capacities) }
      self.budget = budget
    }
    if let members = try rule["breaker"]?.object(["failures", "of", "open_s", "probes"]) {
      var breaker = Breaker()
      try members["of"].map { breaker.of = try $0.integer(in: Self.windows) }
      breaker.failures = min(breaker.failures, breaker.of)
      try members["failures"].map { breaker.failures = try $0.integer(in: 1...breaker.of) }
      try members["open_s"].map { breaker.open = try $0.seconds(from: 0.001) }
      try members["probes"].map { breaker.probes = try $0.integer(in: Self.probes) }
      self.breaker = breaker
    }
    guard budget != nil || breaker != nil else {
      throw described.error("a rule for retries has a \"budget\", e.g. {\"deposit\": 0.1}, or a \"breaker\"")
    }
  }
}
