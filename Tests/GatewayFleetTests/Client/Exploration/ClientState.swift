import GatewayCore

@testable import GatewayFleet

/// Everything by which two client machines with the same policy can differ.
struct ClientState: Hashable {
  private let phase: ClientSession.Phase
  private let refreshes: Int
  private let logins: Int
  private let loss: ClientSession.Loss?
  private let isDue: Bool
  private let announcedTimeout: Duration?
  private let token: Credentials?
  private let isTokenUnseen: Bool
  private let key: Credentials?
  private let connection: String?
  private let greeting: String?
  private let pulse: Pulse?
  private let hasDespaired: Bool
  private let outage: Outage?
  private let toldSchedule: ReturnSchedule?
  private let hasSocket: Bool
  private let fetchNumber: UInt32
  private let tries: Int
  private let clock: TokenClock
  private let tokenCue: Int?

  init(_ session: ClientSession) {
    phase = session.phase
    refreshes = session.refreshes
    logins = session.logins
    loss = session.loss
    isDue = session.isDue
    announcedTimeout = session.announcedTimeout
    token = session.token
    isTokenUnseen = session.isTokenUnseen
    key = session.key
    connection = session.connection
    greeting = session.greeting
    pulse = session.pulse
    hasDespaired = session.hasDespaired
    outage = session.outage
    toldSchedule = session.toldSchedule
    hasSocket = session.hasSocket
    fetchNumber = session.fetchNumber
    tries = session.tries
    clock = session.clock
    tokenCue = session.tokenCue
  }
}
