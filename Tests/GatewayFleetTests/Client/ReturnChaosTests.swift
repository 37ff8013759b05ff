import GatewayCore
import GatewayFleet
import TestSupport
import Testing

struct ReturnChaosTests {
  @Test(arguments: Behaviour.allCases)
  func `returning clients keep one socket at a time, send nothing without one, and their records add up`(
    behaviour: Behaviour
  ) {
    Client.checkChaos(behaviour, ClientHabits(), reconnects: true)
  }
}
