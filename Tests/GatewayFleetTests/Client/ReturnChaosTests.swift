import GatewayCore
import GatewayFleet
import TestSupport
import Testing

@Suite("Clients that come back by themselves, under any sequence of events")
struct ReturnChaosTests {
  @Test("keep one socket at a time, say nothing without one, and their records add up", arguments: Behaviour.allCases)
  func chaos(behaviour: Behaviour) {
    Client.checkChaos(behaviour, ClientHabits(), reconnects: true)
  }
}
