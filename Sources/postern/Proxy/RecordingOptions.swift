import GatewayControl
import GatewayCore
import GatewayKit
import GatewayRuntime

/// The recording that the flags of `postern proxy` ask for.
struct RecordingOptions: Sendable {
  let path: String
  private let bytesMax: Int
  private let file: RecordingFile

  /// Creates the file; nil if none is asked for.
  init?(_ draft: ProxyDraft) throws {
    guard let path = draft.recordPath else {
      guard draft.recordBytesMax == nil else { throw UsageError("--record-bytes-max needs --record; give it too") }
      return nil
    }
    guard draft.to != nil else {
      throw UsageError("--record needs --to; record a route of --spaces with postern ctl record --space NAME")
    }
    self.path = path
    bytesMax = draft.recordBytesMax ?? Recorder.bytesMaxUsual
    file = try RecordingFile(path, of: "--record")
  }

  /// Begins the recording. Only on the journal's loop.
  func begin(of journal: Journal) -> RunningRecording? {
    guard let recorder = try? Recorder(of: journal, to: file, bytesMax: bytesMax) else { return nil }
    return RunningRecording(recorder: recorder, file: file)
  }
}

/// A recording and its file.
struct RunningRecording {
  let recorder: Recorder
  let file: RecordingFile
}
