// The settings of a call at Stream, as `CallSettingsResponse` of the API description lists them.

extension StreamSetting {
  private static let modes = ["available", "disabled", "auto-on"]
  private static let resolutions = ["720p", "360p", "480p", "1080p", "1440p", "2160p"]
  private static let qualities =
    resolutions + ["portrait-360x640", "portrait-480x854", "portrait-720x1280", "portrait-1080x1920"]

  private static func layout() -> StreamSetting {
    .group(
      "layout",
      [
        .choice("name", ["spotlight", "grid", "single-participant", "mobile", "custom"]), .text("external_app_url"),
        .text("external_css_url"), .flag("detect_orientation", nil),
      ])
  }

  private static func resolution(_ standard: (width: Int64, height: Int64, bitrate: Int64)?) -> StreamSetting {
    .group(
      "target_resolution",
      [
        .number("width", standard?.width, 240...3840), .number("height", standard?.height, 240...3840),
        .number("bitrate", standard?.bitrate),
      ])
  }

  /// All settings, with the defaults of the call type `default`.
  static let catalogue: [StreamSetting] = media + features + egress

  private static let media: [StreamSetting] = [
    .group(
      "audio",
      [
        .flag("access_request_enabled", true), .flag("opus_dtx_enabled", true),
        .flag("redundant_coding_enabled", true), .flag("mic_default_on", true), .flag("speaker_default_on", true),
        .flag("hifi_audio_enabled", false), .choice("default_device", ["earpiece", "speaker"]),
        .group("noise_cancellation", [.choice("mode", modes, isOptional: true)]),
      ]),
    .group(
      "video",
      [
        .flag("enabled", true), .flag("access_request_enabled", true), .flag("camera_default_on", true),
        .choice("camera_facing", ["front", "back", "external"]), resolution((2560, 1440, 5_000_000)),
      ]),
    .group(
      "screensharing", [.flag("enabled", true), .flag("access_request_enabled", true), resolution(nil)]),
    .group("thumbnails", [.flag("enabled", true)]),
  ]

  private static let features: [StreamSetting] = [
    .group("backstage", [.flag("enabled", false), .number("join_ahead_time_seconds", nil)]),
    .group("geofencing", [.texts("names")]),
    .group("session", [.number("inactivity_timeout_seconds", 30, 5...900)]),
    .group(
      "limits",
      [
        .number("max_duration_seconds", nil), .number("max_participants", nil),
        .flag("max_participants_exclude_owner", nil), .texts("max_participants_exclude_roles"),
      ]),
    .group(
      "ring",
      [
        .number("incoming_call_timeout_ms", 15_000, 0...180_000),
        .number("auto_cancel_timeout_ms", 15_000, 0...180_000),
        .number("missed_call_timeout_ms", 15_000, 0...180_000),
      ]),
    .group("encryption", [.choice("mode", ["disabled", "available", "auto-on"])]),
  ]

  private static let egress: [StreamSetting] = [
    .group(
      "recording",
      [.flag("audio_only", false), .choice("mode", modes), .choice("quality", qualities), layout()]),
    .group(
      "individual_recording",
      [.choice("mode", modes), .texts("output_types", standard: nil)]),
    .group("raw_recording", [.choice("mode", ["disabled", "available", "auto-on"]), .flag("audio_only", nil)]),
    .group(
      "frame_recording",
      [
        .choice("mode", ["disabled", "available", "auto-on"]), .number("capture_interval_in_seconds", 2, 2...60),
        .choice("quality", resolutions, isOptional: true),
      ]),
    .group(
      "broadcasting",
      [
        .flag("enabled", true),
        .group(
          "hls",
          [.flag("auto_on", false), .flag("enabled", true), .texts("quality_tracks", standard: #"["720p"]"#), layout()]),
        .group("rtmp", [.flag("enabled", true), .choice("quality", qualities), layout()]),
      ]),
    .group(
      "transcription",
      [
        .choice("mode", modes), .choice("closed_caption_mode", modes), .choice("language", languages),
        .group("translation", [.flag("enabled", nil), .texts("languages", standard: nil)]),
      ]),
    .group("ingress", [.flag("enabled", nil)]),
  ]

  private static let languages = [
    "auto", "en", "fr", "es", "de", "it", "nl", "pt", "pl", "ca", "cs", "da", "el", "fi", "id", "ja", "ru", "sv", "ta",
    "th", "tr", "hu", "ro", "zh", "ar", "tl", "he", "hi", "hr", "ko", "ms", "no", "uk", "bg", "et", "sl", "sk",
  ]

  /// The defaults in which other call types differ, by type and path.
  static let standards: [String: [String: String]] = [
    "audio_room": [
      "audio.mic_default_on": "false", "audio.default_device": #""speaker""#, "backstage.enabled": "true",
      "video.enabled": "false", "video.access_request_enabled": "false", "video.camera_default_on": "false",
      "screensharing.enabled": "false", "screensharing.access_request_enabled": "false",
      "ring.incoming_call_timeout_ms": "0", "ring.auto_cancel_timeout_ms": "0", "ring.missed_call_timeout_ms": "0",
    ],
    "livestream": [
      "audio.access_request_enabled": "false", "audio.mic_default_on": "false",
      "audio.default_device": #""speaker""#, "backstage.enabled": "true", "video.access_request_enabled": "false",
      "video.target_resolution.width": "1920", "video.target_resolution.height": "1080",
      "video.target_resolution.bitrate": "3000000", "screensharing.access_request_enabled": "false",
      "ring.incoming_call_timeout_ms": "0", "ring.auto_cancel_timeout_ms": "0", "ring.missed_call_timeout_ms": "0",
    ],
    "development": [
      "video.target_resolution.width": "1920", "video.target_resolution.height": "1080",
      "video.target_resolution.bitrate": "3000000",
    ],
  ]
}
