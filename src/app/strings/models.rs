//! Attention inside transformers.

words! {
    plot_model: "Models", "模型";
    plot_model_hint: "Attention inside BERT and GPT-2, trained or drawn, over windows of text", "BERT 与 GPT-2（已训练或随机初始化）内部的注意力，按文本窗口测量";
    model_heading: "The constant of attention inside a transformer, over windows of text", "Transformer 内部注意力的常数，按文本窗口";
}
